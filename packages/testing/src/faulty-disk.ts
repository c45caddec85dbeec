import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { disk, type FileSystem, SeededRandom } from '@hushrec/ratings';

/** What happens at the n-th call: an error before it, an error after half of it, or the end of everything. */
export type Fault = 'full disk' | 'I/O error' | 'torn write' | 'power loss';
export const faults: readonly Fault[] = ['full disk', 'I/O error', 'torn write', 'power loss'];

/** Thrown at the call at which the power fails, and by every call after it: no clean-up runs any more. */
export class PowerLoss extends Error {
  override readonly name = 'PowerLoss';
  readonly kind = undefined;
}

type Step =
  | { readonly call: 'makeFolder' | 'remove' | 'syncFolder' | 'sync'; readonly path: string }
  | { readonly call: 'create'; readonly path: string }
  | { readonly call: 'write'; readonly path: string; readonly bytes: Uint8Array }
  | { readonly call: 'rename'; readonly path: string; readonly to: string };

/**
 * The disk of this machine with one fault at the n-th call, in the manner of SQLite's tests: run an operation
 * with n = 1, 2, 3 … until it passes, and look at what is there after each. Everything happens below `root`.
 */
export class FaultyDisk implements FileSystem {
  readonly #root: string;
  readonly #fault: Fault;
  readonly #at: number;
  readonly #before: string;
  readonly #steps: Step[] = [];
  #calls = 0;
  #isDead = false;

  constructor(root: string, fault: Fault, at: number) {
    this.#root = resolve(root);
    this.#fault = fault;
    this.#at = at;
    this.#before = mkdtempSync(join(tmpdir(), 'hushrec-before-'));
    cpSync(this.#root, this.#before, { recursive: true });
  }

  /** Whether the call that was to fail was reached. */
  get hasFailed(): boolean {
    return this.#calls >= this.#at;
  }

  async makeFolder(path: string, mode?: number): Promise<void> {
    await this.#call({ call: 'makeFolder', path }, () => disk.makeFolder(path, mode));
  }

  async create(path: string, mode?: number) {
    const file = await this.#call({ call: 'create', path }, () => disk.create(path, mode));
    return {
      write: (bytes: Uint8Array) =>
        this.#call(
          { call: 'write', path, bytes },
          () => file.write(bytes),
          () => file.write(bytes.subarray(0, bytes.length >> 1)),
        ),
      sync: () => this.#call({ call: 'sync', path }, () => file.sync()),
      // Not a call that fails here: what matters was said by `sync`, and a handle must not leak.
      close: () => file.close(),
    };
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#call({ call: 'rename', path: from, to }, () => disk.rename(from, to));
  }

  async remove(path: string): Promise<void> {
    await this.#call({ call: 'remove', path }, () => disk.remove(path));
  }

  async syncFolder(path: string): Promise<void> {
    await this.#call({ call: 'syncFolder', path }, () => disk.syncFolder(path));
  }

  async #call<Result>(
    step: Step,
    work: () => Promise<Result>,
    half?: () => Promise<unknown>,
  ): Promise<Result> {
    if (this.#isDead) throw new PowerLoss('the power is off');
    this.#calls++;
    if (this.#calls !== this.#at) {
      const result = await work();
      this.#steps.push(step);
      return result;
    }
    switch (this.#fault) {
      case 'full disk':
        throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
      case 'I/O error':
        throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
      case 'torn write':
        await half?.();
        throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
      case 'power loss':
        this.#isDead = true;
        this.#steps.push(step);
        throw new PowerLoss('the power failed');
    }
  }

  /**
   * What a disk may hold when it comes back, put in the place of what is under the root: bytes written after
   * a file's last sync are there, half there, zeros or not there; names changed after a folder's last sync
   * are changed or not, in any order.
   */
  restoreAfterPowerLoss(seed: number): void {
    const random = new SeededRandom(seed);
    rmSync(this.#root, { recursive: true, force: true });
    cpSync(this.#before, this.#root, { recursive: true });
    const nameOf = (path: string) => join(dirname(path), basename(path));
    const lastSync = new Map<string, number>();
    this.#steps.forEach((step, index) => {
      if (step.call === 'syncFolder' || step.call === 'sync') lastSync.set(nameOf(step.path), index);
    });
    const isDurable = (folder: string, index: number) => (lastSync.get(folder) ?? -1) > index;
    this.#steps.forEach((step, index) => {
      const isLast = index === this.#steps.length - 1;
      const mayBeLost = isLast || !isDurable(nameOf(dirname(step.path)), index);
      // In a temporary name, a file that is lost with its folder: reordering is among names of one folder.
      if (step.call === 'write')
        this.#replayWrite(step, isDurable(nameOf(step.path), index) && !isLast, random);
      else if (step.call === 'sync' || step.call === 'syncFolder') return;
      else if (!mayBeLost || random.below(3) > 0) replayName(step);
    });
  }

  #replayWrite({ path, bytes }: Step & { call: 'write' }, isSynced: boolean, random: SeededRandom): void {
    if (!existsSync(path)) return;
    const choices = [
      bytes,
      bytes.subarray(0, bytes.length >> 1),
      new Uint8Array(bytes.length),
      new Uint8Array(),
    ];
    writeFileSync(path, isSynced ? bytes : choices[random.below(choices.length)]);
  }

  /** Names under the root that begin with a dot: what was being worked on. */
  leftovers(): string[] {
    return readdirSync(this.#root, { recursive: true })
      .map(String)
      .filter((name) => basename(name).startsWith('.'))
      .map((name) => relative(this.#root, join(this.#root, name)));
  }

  /** Removes the copy of what was there before. */
  forget(): void {
    rmSync(this.#before, { recursive: true, force: true });
  }
}

function replayName(step: Exclude<Step, { call: 'write' }>): void {
  switch (step.call) {
    case 'makeFolder':
      mkdirSync(step.path, { recursive: true });
      break;
    case 'create':
      if (existsSync(dirname(step.path))) writeFileSync(step.path, '');
      break;
    case 'remove':
      rmSync(step.path, { recursive: true, force: true });
      break;
    case 'rename':
      if (existsSync(step.path) && !existsSync(step.to)) renameSync(step.path, step.to);
      break;
    default:
  }
}
