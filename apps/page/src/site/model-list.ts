import { askJson, type ModelSummary, ServerError } from './server-interface.js';

let last: readonly ModelSummary[] | undefined;

/** What the server publishes; what it last said where it does not answer, so that the tab goes on offline. */
export async function listModels(): Promise<readonly ModelSummary[]> {
  try {
    last = (await askJson('/api/models')).models;
    return last;
  } catch (error) {
    if (last === undefined || !(error instanceof ServerError && error.status === 0)) throw error;
    return last;
  }
}

/** Folders the server does not publish because they are not whole models, and why. */
export async function listBroken(): Promise<readonly { readonly id: string; readonly problem: string }[]> {
  return (await askJson('/api/models')).broken;
}
