// libfake_cuda_old: a driver library of long ago.
extern "C" int cuDriverGetVersion(int* version) {
  *version = 10020;
  return 0;
}
