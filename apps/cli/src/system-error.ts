/**
 * What the operating system says about a path, in words, and whether it is about what was given rather than
 * about the machine.
 */
export interface SystemErrorWords {
  readonly words: string;
  readonly isInput: boolean;
}

const aboutInput: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder.',
  ENOTDIR: 'a part of this path is a file, not a folder.',
  EISDIR: 'this is a folder; a file was expected.',
  EACCES: 'permission denied. Ask its owner, or choose another place.',
  EPERM: 'this is not permitted here. Ask its owner, or choose another place.',
  EROFS: 'it cannot be written: the disk is read-only.',
  ENAMETOOLONG: 'the name is too long.',
  ELOOP: 'links that lead back to themselves.',
  EEXIST: 'there is something with this name already.',
  ENOTEMPTY: 'the folder is not empty.',
  EXDEV: 'source and target are on different disks.',
};
const aboutMachine: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full. Make room and repeat the command.',
  EDQUOT: 'your share of the disk is full. Make room and repeat the command.',
  EIO: 'the disk reported an error. Check the disk, then repeat the command.',
  EMFILE: 'too many files are open. Close other programs, or raise the limit (`ulimit -n`).',
  ENFILE: 'too many files are open on this machine. Close other programs.',
};

/**
 * Words for an error that comes from the operating system as it is; undefined for every other. Whoever knows
 * more (which file, what it was for) says so where it happens; this is for what nobody foresaw.
 */
export function systemErrorWords(error: unknown): SystemErrorWords | undefined {
  const { code, path, syscall, message } = (error ?? {}) as NodeJS.ErrnoException;
  // Errors of our own carry a cause, and no system call.
  if (code === undefined || syscall === undefined || !String(message).startsWith(`${code}: `))
    return undefined;
  const words = aboutInput[code] ?? aboutMachine[code];
  if (words === undefined) return undefined;
  const where = path === undefined ? '' : `${path === '' ? 'An empty path' : path}: `;
  return { words: `${where}${words}`, isInput: Object.hasOwn(aboutInput, code) };
}
