// SPDX-License-Identifier: BSD-3-Clause
// What the video reader's streams use of FFmpeg, as FFmpeg 6 has it: without AV_CODEC_CAP_INTRA_ONLY.
#pragma once
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#define AVERROR(error) (-(error))
#define AVERROR_EOF (-1000)
#define AV_NOPTS_VALUE INT64_MIN
#define AV_TIME_BASE 1000000
#define FF_THREAD_FRAME 1
#define FF_THREAD_SLICE 2
extern "C" {
struct AVRational {
  int num, den;
};
struct AVCodec {
  int capabilities;
};
struct AVCodecContext {
  const AVCodec* codec;
  int sample_rate, thread_count, thread_type;
};
struct AVCodecParameters {
  int codec_id;
};
struct AVStream {
  AVCodecParameters* codecpar;
  AVRational time_base;
  int64_t duration;
};
struct AVFormatContext {
  AVStream** streams;
};
struct AVFrame {
  int nb_samples;
  int64_t best_effort_timestamp;
};
struct AVPacket {
  int size;
  int64_t pts;
};
struct AVSubtitle {
  int format;
};
const AVCodec* avcodec_find_decoder(int id);
AVCodecContext* avcodec_alloc_context3(const AVCodec* codec);
void avcodec_free_context(AVCodecContext** context);
int avcodec_parameters_to_context(AVCodecContext* context, const AVCodecParameters* parameters);
int avcodec_open2(AVCodecContext* context, const AVCodec* codec, void** options);
int avcodec_send_packet(AVCodecContext* context, const AVPacket* packet);
void avcodec_flush_buffers(AVCodecContext* context);
int avcodec_receive_frame(AVCodecContext* context, AVFrame* frame);
AVFrame* av_frame_alloc();
void av_free(void* memory);
double av_q2d(AVRational rational);
AVRational av_guess_frame_rate(AVFormatContext* context, AVStream* stream, AVFrame* frame);
int64_t av_rescale_q(int64_t value, AVRational from, AVRational to);
}
