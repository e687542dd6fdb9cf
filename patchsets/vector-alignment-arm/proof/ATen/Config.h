// Generated when torch is configured.
#pragma once
#define AT_MKL_ENABLED() 0
#define AT_MKLDNN_ENABLED() 0
#define AT_PARALLEL_OPENMP 0
#define AT_PARALLEL_NATIVE 1
#define AT_PARALLEL_NATIVE_TBB 0
