"""Computes with the torch that is installed, and prints the values as JSON: run it on two machines and compare.

    computes.py [--vision] [--processes gloo|mpi]

Weights and inputs are sines of counters, so that no generator of random numbers takes part.
"""
import argparse
import json
import subprocess
import sys
import tempfile

import torch
import torch.nn.functional as functional


def wave(*shape, step=0.37):
    count = 1
    for each in shape:
        count *= each
    return torch.sin(torch.arange(count, dtype=torch.float32) * step).reshape(shape)


def numbers(tensor):
    return [float(each) for each in tensor.detach().reshape(-1)[:16]] + [float(tensor.detach().double().sum())]


def network():
    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.BatchNorm2d(8), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
        torch.nn.Conv2d(8, 16, 3, groups=2), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(16 * 6 * 6, 10))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(wave(*parameter.shape, step=0.11) * 0.2)
    return model


def train():
    """The loss of five steps, an output and a gradient."""
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    inputs, targets = wave(4, 3, 16, 16), torch.tensor([1, 3, 5, 7])
    losses = []
    for _ in range(5):
        optimizer.zero_grad()
        output = model(inputs)
        loss = functional.cross_entropy(output, targets)
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    return {"losses": losses, "output": numbers(output), "gradient": numbers(model[0].weight.grad)}


def algebra():
    matrix = wave(6, 6) + 6 * torch.eye(6)
    return {"matmul": numbers(wave(17, 33) @ wave(33, 9)), "inverse": numbers(torch.inverse(matrix)),
            "exp": numbers(torch.exp(wave(40))), "tanh": numbers(torch.tanh(wave(40))), "std": numbers(wave(1000).std())}


def script():
    @torch.jit.script
    def collatz(n: int) -> int:
        steps = 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        return steps

    return {"collatz": [collatz(27)]}


def one_of_two(rank, place, backend):
    import torch.distributed as distributed

    if backend == "mpi":  # which numbers the processes itself
        distributed.init_process_group("mpi")
        rank = distributed.get_rank()
    else:
        distributed.init_process_group(backend, init_method="file://" + place, rank=rank, world_size=2)
    tensor = wave(8) * (rank + 1)
    distributed.all_reduce(tensor)
    if rank == 0:
        torch.save(tensor, place + ".result")
    distributed.barrier()


def two_processes(backend):
    with tempfile.TemporaryDirectory() as directory:
        place = directory + "/store"
        if backend == "mpi":
            run = "import computes, sys; computes.one_of_two(None, sys.argv[1], 'mpi')"
            subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-np", "2", sys.executable, "-c", run, place],
                           cwd=sys.path[0], stdin=subprocess.DEVNULL, stdout=sys.stderr, check=True)
        else:
            torch.multiprocessing.spawn(one_of_two, args=(place, backend), nprocs=2)
        return {"all_reduce": numbers(torch.load(place + ".result"))}


def vision():
    import torchvision

    boxes = wave(30, 4).abs() * 20
    boxes[:, 2:] += boxes[:, :2] + 1
    regions = torch.cat([torch.zeros(30, 1), boxes], dim=1)
    return {"nms": torchvision.ops.nms(boxes, wave(30, step=0.7), 0.3).tolist(),
            "roi_align": numbers(torchvision.ops.roi_align(wave(1, 2, 48, 48), regions, (3, 3)))}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--vision", action="store_true", help="operators of torchvision, too")
    parser.add_argument("--processes", choices=["gloo", "mpi"], help="torch.distributed on two processes, too")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    values = {**train(), **algebra(), **script()}
    if chosen.processes:
        values.update(two_processes(chosen.processes))
    if chosen.vision:
        values.update(vision())
    print(json.dumps(values, indent=1, sort_keys=True))


if __name__ == "__main__":
    main()
