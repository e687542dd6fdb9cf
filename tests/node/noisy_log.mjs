// SPDX-License-Identifier: BSD-3-Clause
// A build log around a message, as people paste it: 40 lines, with colours, timestamps, paths and numbers of their own.
const esc = '\u001b';

const before = [
  'Building wheel torch-1.10.0a0+git36449ea',
  '-- Building version 1.10.0a0+git36449ea',
  'cmake --build . --target install --config Release -- -j 4',
  '[1/5231] Building C object confu-deps/clog/CMakeFiles/clog.dir/src/clog.c.o',
  '[2/5231] Linking C static library lib/libclog.a',
  '[ 12%] Building CXX object third_party/googletest/googlemock/CMakeFiles/gmock.dir/src/gmock-all.cc.o',
  '[ 13%] Built target gmock',
  `${esc}[32m[ 14%] ${esc}[0m${esc}[32mBuilding CXX object c10/CMakeFiles/c10.dir/core/Allocator.cpp.o${esc}[0m`,
  "In file included from /home/nvidia/src/pytorch/c10/util/Optional.h:18,",
  '                 from /home/nvidia/src/pytorch/c10/core/ScalarType.h:7:',
  "/home/nvidia/src/pytorch/c10/util/Half-inl.h:31:12: warning: unused parameter 'x' [-Wunused-parameter]",
  '   31 | inline C10_HOST_DEVICE Half::Half(float value) {',
  '      |            ^~~~',
  'Scanning dependencies of target onnx_proto',
  '[ 15%] Running gen_proto.py on onnx/onnx.in.proto',
  'Processing /home/nvidia/src/pytorch/third_party/onnx/onnx/onnx.in.proto',
  'Writing /home/nvidia/src/pytorch/build/third_party/onnx/onnx/onnx_onnx_torch-ml.proto',
  '2024-03-02T11:02:41.1193873Z [ 15%] Building CXX object third_party/onnx/CMakeFiles/onnx_proto.dir/onnx/onnx_onnx_torch-ml.pb.cc.o',
  'warning: 3 warnings generated.',
  '[ 16%] Linking CXX static library ../../lib/libonnx_proto.a',
];
const after = [
  'compilation terminated.',
  'make[2]: *** [caffe2/CMakeFiles/torch.dir/build.make:4242: caffe2/CMakeFiles/torch.dir/x.o] Error 1',
  'make[1]: *** [CMakeFiles/Makefile2:7003: caffe2/CMakeFiles/torch.dir/all] Error 2',
  'make[1]: *** Waiting for unfinished jobs....',
  '[ 17%] Built target c10',
  'make: *** [Makefile:146: all] Error 2',
  'Traceback (most recent call last):',
  '  File "setup.py", line 737, in <module>',
  '    build_deps()',
  '  File "setup.py", line 316, in build_deps',
  "    cmake=cmake)",
  '  File "/home/nvidia/src/pytorch/tools/build_pytorch_libs.py", line 62, in build_caffe2',
  '    cmake.build(my_env)',
  '  File "/usr/lib/python3.6/subprocess.py", line 311, in check_call',
  '    raise CalledProcessError(retcode, cmd)',
  "subprocess.CalledProcessError: Command '['cmake', '--build', '.', '--target', 'install']' returned non-zero exit status 2.",
  '+ exit 1',
  'The command exited with 1.',
  'nvidia@tegra-ubuntu:~/src/pytorch$ ',
];

/// Paths begin elsewhere, and places in files are others.
function elsewhere(message) {
  return message.replace(/(?<![\w/.])((?:[\w.+-]+\/)+[\w.+-]+)/g, '/mnt/nvme/build/pytorch/$1')
    .replace(/(\.[a-z]{1,4}):\d+(:\d+)?/g, '$1:777$2').replace(/(\.cuh?)\(\d+\)/g, '$1(777)');
}

export function noisyLog(message) {
  const line = `2024-03-02T11:02:44.0071Z ${esc}[1m/mnt/nvme/build/pytorch/x.cpp:88:13: ${esc}[m${esc}[01;31m${esc}[K${elsewhere(message).replace(/'/g, '‘')}${esc}[m${esc}[K`;
  return [...before, line, ...after].join('\r\n');
}
