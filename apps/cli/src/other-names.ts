/** Flags that scripts outside rely on under another name, by command: both are taken, one is described. */
const otherNames: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  generate: { '--users': '--people' },
  compare: { '--as-if-users': '--as-if-people' },
};

/** The arguments with flags under the names that are described. */
export function underOneName(args: readonly string[]): string[] {
  const names = otherNames[args[0]] ?? {};
  return args.map((argument) => {
    const [flag] = argument.split('=', 1);
    return Object.hasOwn(names, flag) ? names[flag] + argument.slice(flag.length) : argument;
  });
}
