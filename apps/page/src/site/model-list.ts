import { askJson, type ModelSummary } from './server-interface.js';

/** What the server publishes. */
export async function listModels(): Promise<readonly ModelSummary[]> {
  return (await askJson('/api/models')).models;
}

/** Folders the server does not publish because they are not whole models, and why. */
export async function listBroken(): Promise<readonly { readonly id: string; readonly problem: string }[]> {
  return (await askJson('/api/models')).broken;
}
