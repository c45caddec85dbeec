/** Names of the files of a model folder. */
export const fileNames = {
  manifest: 'model.json',
  tensors: 'item-factors.safetensors',
  certificate: 'certificate.json',
  certificateText: 'CERTIFICATE.md',
  /** Everything that was released, where it is published (`--with-releases`). */
  releases: 'releases.bin',
  /** The memory that the run began with, where its releases are published. */
  memory: 'memory.bin',
  metrics: 'metrics.json',
} as const;
