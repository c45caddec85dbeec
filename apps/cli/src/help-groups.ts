import type { Command } from 'commander';

/** Headings of the program's help, with the commands below them. */
const ofCommands: Readonly<Record<string, readonly string[]>> = {
  Data: ['generate', 'import', 'forget', 'split'],
  Models: ['methods', 'train', 'refresh', 'rollback', 'recommend', 'card'],
  Measuring: ['evaluate', 'compare', 'reproduce'],
  Privacy: ['privacy', 'verify', 'audit', 'ledger'],
  'Serving and taking part': ['serve', 'federate'],
};

/** Headings of a command's help, with the options below them; others are its own. */
const ofOptions: Readonly<Record<string, string>> = {
  'Method and guarantee': 'method set goal epsilon delta accounting people features kind seed accept-weak',
  Data: 'from append format separator header columns events skip-bad-rows query scale catalogue items items-query account keep date',
  'Held-out ratings': 'protocol folds split-seed candidates liked test metrics',
  'Budget and plan': 'ledger new-ledger note record-unprotected dry-run plan resume force',
  Memory: 'begin-anew keep-memory no-memory',
  Cluster: 'engine storage node trust-network',
  'Who may reach it': 'host port token-file host-name allow-origin',
};

/** So many options are read at a glance, and need no headings. */
const MOST_UNGROUPED = 12;

const headingIn = (groups: Readonly<Record<string, readonly string[]>>, name: string) =>
  Object.keys(groups).find((heading) => groups[heading].includes(name));

/** The heading of a command in the help of the program. */
export const groupOfCommand = (name: string): string => `${headingIn(ofCommands, name) ?? 'Others'}:`;

const groups = Object.fromEntries(
  Object.entries(ofOptions).map(([heading, names]) => [heading, names.split(' ')]),
);

/** Puts the options of a command that has many below headings. */
export function groupOptions({ options }: Command): void {
  if (options.length <= MOST_UNGROUPED) return;
  for (const option of options) {
    const heading = headingIn(groups, option.long?.replace(/^--/, '') ?? '');
    if (heading !== undefined) option.helpGroup(`${heading}:`);
  }
}
