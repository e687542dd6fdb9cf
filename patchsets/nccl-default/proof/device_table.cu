// SPDX-License-Identifier: BSD-3-Clause
// What functions.cu of NCCL has, with the functions of two objects instead of all: the table that kernels call through.
#if __has_include("devcomm.h")
#include "devcomm.h"
#endif
#include "collectives.h"
#include "common.h"

#if NCCL_VERSION_CODE >= 21003
#define ALL_REDUCE ncclFunction_AllReduce_RING_SIMPLE_Sum_uint8_t
#define REDUCE_SCATTER ncclFunction_ReduceScatter_RING_SIMPLE_Max_double
__shared__ ncclShmemData ncclShmem;
#elif NCCL_VERSION_CODE >= 2402
#define ALL_REDUCE ncclAllReduceRing_sum_u8
#define REDUCE_SCATTER ncclReduceScatterRing_max_f64
#else
#define ALL_REDUCE ncclAllReduce_sum_u8
#define REDUCE_SCATTER ncclReduceScatter_max_f64
#endif
#if NCCL_VERSION_CODE >= 2500 && NCCL_VERSION_CODE < 21003
__device__ volatile uint64_t* ncclShmem;
#endif

__device__ ncclKern_t ncclFuncs[] = {
#if __CUDA_ARCH__
    ALL_REDUCE, REDUCE_SCATTER
#endif
};
