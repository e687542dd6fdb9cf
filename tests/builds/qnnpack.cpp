// Convolutions with their gradients, and a quantised linear layer on the QNNPACK engine, printed as JSON: the values of
// two machines are compared.
#include <torch/csrc/jit/runtime/operator.h>
#include <torch/torch.h>

#include <cstdio>
#include <iostream>

namespace {

torch::Tensor wave(std::vector<int64_t> shape, double step) {
  int64_t count = 1;
  for (const int64_t each : shape) count *= each;
  return torch::sin(torch::arange(count, torch::kFloat32) * step).reshape(shape);
}

void print(const char* name, const torch::Tensor& tensor, const char* end = ",\n") {
  const torch::Tensor flat = tensor.detach().to(torch::kDouble).reshape({-1}).contiguous();
  std::printf(" \"%s\": [", name);
  for (int64_t i = 0; i < flat.numel() && i < 64; ++i) std::printf("%.9g, ", flat.data_ptr<double>()[i]);
  std::printf("%.9g]%s", flat.sum().item<double>(), end);
}

torch::IValue call(const char* name, std::vector<torch::IValue> stack) {
  const auto operators = torch::jit::getAllOperatorsFor(c10::Symbol::fromQualString(name));
  operators.at(0)->getOperation()(stack);
  return stack.back();
}

}  // namespace

int main() {
  torch::Tensor weight = (wave({8, 3, 3, 3}, 0.11) * 0.2).requires_grad_();
  const torch::Tensor input = wave({2, 3, 16, 16}, 0.37);
  const torch::Tensor output = torch::conv2d(input, weight).relu();
  output.pow(2).mean().backward();

  at::globalContext().setQEngine(at::QEngine::QNNPACK);
  const torch::Tensor x = torch::quantize_per_tensor(wave({5, 40}, 0.29), 1.0 / 64, 128, torch::kQUInt8);
  const torch::Tensor w = torch::quantize_per_tensor(wave({16, 40}, 0.17), 1.0 / 128, 0, torch::kQInt8);
  const torch::IValue packed = call("quantized::linear_prepack", {w, wave({16}, 0.5)});
  const torch::Tensor y = call("quantized::linear", {x, packed, 0.125, int64_t{120}}).toTensor();

  std::printf("{\n");
  print("convolution", output);
  print("gradient", weight.grad());
  print("quantised_linear", y.dequantize(), "\n");
  std::printf("}\n");
}
