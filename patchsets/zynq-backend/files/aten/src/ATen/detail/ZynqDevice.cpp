// SPDX-License-Identifier: BSD-3-Clause
//
// What torch wants to hear in C++ of the device that the Python package torch_zynq makes of PrivateUse1: autograd asks
// for a device guard and hooks wherever a tensor of the device takes part, and ends the process where there are none.
//
// CMake collects aten/src/ATen/detail/*.cpp, so that this file becomes a part of libtorch_cpu by standing there. Nothing
// happens until torch_zynq calls torch_zynq_register. Built alone, it does the same for a torch from elsewhere:
//   g++ -shared -fPIC -I<torch>/include ZynqDevice.cpp -o libzynq_device.so -L<torch>/lib -ltorch_cpu -lc10
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#if __has_include(<c10/core/impl/HermeticPyObjectTLS.h>)
#include <c10/core/impl/HermeticPyObjectTLS.h>
#endif

#include <exception>

namespace {

using c10::Device;
using c10::DeviceIndex;
using c10::DeviceType;
using c10::Stream;

// The interfaces differ between releases: noexcept is what some demand and none forbids. What only some of them declare
// stands without "override", in classes that have none, since builds with clang make an error of a class with both.

struct NothingPending : public c10::impl::DeviceGuardImplInterface {
  void synchronizeDevice(DeviceIndex) const {}
};

/// One device with one stream, on which every operation has ended when it returns.
struct ZynqGuard final : public NothingPending {
  static Device device() {
    return Device(DeviceType::PrivateUse1, 0);
  }
  static Stream stream() {
    return Stream(Stream::DEFAULT, device());
  }

  DeviceType type() const override {
    return DeviceType::PrivateUse1;
  }
  Device exchangeDevice(Device) const override {
    return device();
  }
  Device getDevice() const override {
    return device();
  }
  void setDevice(Device) const override {}
  void uncheckedSetDevice(Device) const noexcept override {}
  Stream getStream(Device) const noexcept override {
    return stream();
  }
  Stream getDefaultStream(Device) const override {
    return stream();
  }
  Stream exchangeStream(Stream) const noexcept override {
    return stream();
  }
  DeviceIndex deviceCount() const noexcept override {
    return 1;
  }
  bool queryStream(const Stream&) const override {
    return true;
  }
  void synchronizeStream(const Stream&) const override {}
};

struct ZynqHooks final : public at::PrivateUse1HooksInterface {
  bool isBuilt() const {
    return true;
  }
  bool isAvailable() const {
    return true;
  }
  bool hasPrimaryContext(DeviceIndex) const {
    return true;
  }
  bool isPinnedPtr(const void*) const {
    return false;
  }
};

} // namespace

/// Makes the device known to torch; for torch_zynq, which calls it once. Returns null, or why it cannot.
extern "C" C10_EXPORT const char* torch_zynq_register() {
  try {
    // Both live as long as the process, as torch asks for them until its end.
    at::RegisterPrivateUse1HooksInterface(new ZynqHooks);
    c10::impl::DeviceGuardImplRegistrar(DeviceType::PrivateUse1, new ZynqGuard);
    return nullptr;
  } catch (const std::exception&) {
    return "another back end has taken PrivateUse1";
  }
}

/// Lets the Python kernel that calls it make tensors of a class with __torch_dispatch__. A kernel that has no such tensor
/// among its arguments, as those that make one, runs "hermetic", where some releases (2.1) refuse it. torch puts the state
/// back behind the kernel; before that it must stay, or the new tensor would lose its Python object.
extern "C" C10_EXPORT void torch_zynq_leave_hermetic() {
#if __has_include(<c10/core/impl/HermeticPyObjectTLS.h>)
  c10::impl::HermeticPyObjectTLS::set_state(false);
#endif
}
