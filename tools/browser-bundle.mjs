// How code is bundled for browsers, wherever it is.
export const browserBundle = {
  bundle: true,
  format: 'esm',
  target: 'es2022',
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
  conditions: ['browser'],
};
