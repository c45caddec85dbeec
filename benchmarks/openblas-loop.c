/* The user step on OpenBLAS without an interpreter in the loop: gather, ssyrk, sposv, one person after the other. */
#include <math.h>
#include <stdint.h>

typedef void (*syrk)(const char *, const char *, const int *, const int *, const float *, const float *, const int *, const float *, float *, const int *);
typedef void (*posv)(const char *, const int *, const int *, float *, const int *, float *, const int *, int *);

void user_step(syrk ssyrk, posv sposv, const float *fixed, int d, int users, const uint32_t *offsets, const uint32_t *indices,
               const float *targets, const float *weights, float ridge, float *panel, float *matrix, float *out) {
  const float one = 1, zero = 0;
  const int single = 1;
  for (int u = 0; u < users; u++) {
    const int n = (int)(offsets[u + 1] - offsets[u]);
    float *b = out + (long)u * d;
    int info = 0;
    for (int c = 0; c < d; c++) b[c] = 0;
    for (int k = 0; k < n; k++) {
      const uint32_t e = offsets[u] + k;
      const float *x = fixed + (long)indices[e] * d;
      const float root = sqrtf(weights[e]), y = root * targets[e];
      float *row = panel + (long)k * d;
      for (int c = 0; c < d; c++) {
        row[c] = root * x[c];
        b[c] += y * row[c];
      }
    }
    ssyrk("U", "N", &d, &n, &one, panel, &d, &zero, matrix, &d);
    for (int c = 0; c < d; c++) matrix[(long)c * d + c] += ridge;
    sposv("U", &d, &single, matrix, &d, b, &d, &info);
  }
}
