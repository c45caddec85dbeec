// Command lines: arguments, files, folders and settings that are wrong in every way. A refusal says what is
// wrong and has an exit code of its own; exit code 1 is for failures of the machine and for verdicts (verify,
// audit), never for what somebody typed or gave.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileFormats } from '@hushrec/ratings/formats';
import { buildProgram } from '../../../../apps/cli/dist/main.js';
import { restore, snapshotOf } from '../../faults/power-loss.mjs';
import { runQuietly } from '../../quiet-command.mjs';
import { corpusOf } from '../corpus.mjs';
import { mutated } from '../mutate.mjs';

/** Command lines that work, to be damaged. `@` stands for the folder with all files. */
const lines = [
  'import @ratings.csv @new --scale 1:5:1',
  'import @ratings.csv @set --scale 1:5:1 --overwrite',
  'import @ratings.csv @set --append',
  'import @ratings.csv @new --scale 1:5:1 --items @items.csv --catalogue @items.csv',
  'import @table.parquet @new --scale 1:5:1',
  'generate @new --people 9 --items 6 --ratings 30 --seed 1',
  'methods hush --json',
  'train @set --epsilon 1 --delta 1e-6 --out @new --threads 1 --accept-weak',
  'train @set --method dpals --epsilon 1 --delta 1e-6 --out @new --threads 1 --accept-weak --set rank=2',
  'train @set --method als --out @new --threads 1 --set rank=2',
  'train @ratings.csv --scale 1:5:1 --method als --out @new --threads 1',
  'refresh @set --from @ratings.csv --append --model @model --threads 1',
  'evaluate @model @set',
  'recommend @model --history @history.csv',
  'compare @set --methods popularity --epsilons 1 --out @new',
  'privacy calibrate --epsilon 1 --delta 1e-6 --sensitivity 1',
  'privacy epsilon --noise 3 --delta 1e-6',
  'privacy explain --epsilon 1',
  'privacy plan --people 1000 --items 100 --ratings-per-person 20',
  'verify @model',
  'ledger show @set',
  'ledger export @set',
  'ledger grant @set --epsilon 1 --delta 1e-6',
  'ledger plan @set --runs 4',
  'ledger plan --runs 4 --epsilon 2 --delta 1e-6',
  'ledger refuse @set --note x',
  'ledger tune @set --runs 10 --epsilon 1 --delta 1e-6',
  'ledger accept-loss @set --note x',
  'audit dpals --runs 1',
  'federate simulate @set --parties 2 --epsilon 2 --out @new',
  'federate identity @new --name one',
  'federate charter @new @run.json',
  'federate sign @charter.json --key @key.pem',
  'federate verify @new',
].map((line) => line.split(' '));

const places = [
  ...[
    '@missing',
    '@',
    '@ratings.csv',
    '@set',
    '@model',
    '@empty',
    '@empty-folder',
    '@binary',
    '@closed',
    '@loop',
  ],
  ...[
    '',
    '.',
    '/dev/null',
    '/proc/self/mem',
    `@${'n'.repeat(300)}`,
    '@ratings.csv/inside',
    '@bad.json',
    '@ledger.sqlite',
  ],
  ...[
    'postgres://127.0.0.1:1/none',
    'postgres://',
    'https://127.0.0.1:1/x',
    '@damaged-set',
    '@damaged-model',
    '@a.zip',
    '@a.csv.gz',
  ],
];
const texts = [
  ...[
    '',
    ' ',
    '0',
    '-1',
    '1',
    '1e999',
    'NaN',
    'inf',
    '-0',
    '1e-400',
    '0x10',
    '9'.repeat(40),
    '1.5',
    'x',
    '=',
    'rank',
    'rank=',
    'rank=x',
  ],
  ...[
    '=3',
    'rank=1e9',
    'rank=-1',
    '__proto__=1',
    'constructor=1',
    '1:5',
    '5:1:1',
    '1:5:0',
    '1:1:1',
    'a,b',
    'user,item,rating,',
    '🙂',
    '\u202e',
    "'",
    '"',
    '--',
    '-',
  ],
  ...[
    'hush',
    'als',
    'dpals',
    'toString',
    'recall@5,rmse',
    'ndcg@',
    ...fileFormats.map(({ name }) => name),
    'random',
    'week',
    'select 1',
    '[',
    '{}',
    'null',
    '%s',
    '../..',
  ],
];

export async function prepare(folder) {
  const root = join(folder, 'files');
  mkdirSync(join(root, 'empty-folder'), { recursive: true });
  process.chdir(root);
  process.env.HUSHREC_LEDGER = join(root, 'ledger.sqlite');
  process.env.XDG_STATE_HOME = join(root, 'state');
  const at = (name) => name.replaceAll('@', `${root}/`);
  writeFiles(root);
  for (const line of [
    'import @ratings.csv @set --scale 1:5:1 --new-ledger',
    'train @set --method dpals --epsilon 1 --delta 1e-6 --out @model --threads 1 --accept-weak --set rank=2',
  ]) {
    const { code, errors } = await runQuietly(line.split(' ').map(at));
    if (code !== 0) throw new Error(errors);
  }
  const whole = snapshotOf(root);
  const options = await optionsByCommand();
  const exit = process.exit;
  process.exit = () => {};
  const corpus = corpusOf('commands').flatMap(({ bytes }) => JSON.parse(bytes.toString()));
  return {
    attempt: async (random, number) => {
      restore(root, whole);
      process.chdir(root);
      if (number < corpus.length) return tried(root, corpus[number].map(at));
      for (const what of ['set', 'model']) writeDamagedCopy(root, what, whole, random);
      return tried(root, damagedLine(options, random).map(at));
    },
    close: () => {
      process.exit = exit;
    },
  };
}

/** What commands are given: files that are right, and files that are nothing of the kind. */
function writeFiles(root) {
  const rows = Array.from({ length: 60 }, (_, k) => `u${k % 9},i${(5 * k) % 7},${1 + (k % 5)}`);
  const files = {
    'ratings.csv': `user,item,rating\n${rows.join('\n')}\n`,
    'items.csv': 'item,title,genre\ni0,A,x\ni1,B,y\ni2,C,x\ni3,D,y\ni4,E,x\ni5,F,y\ni6,G,x\n',
    'history.csv': 'item,rating\ni0,5\ni1,1\n',
    empty: '',
    binary: Buffer.from(Array.from({ length: 999 }, (_, k) => (k * 197) % 256)),
    'bad.json': '{"a": [1, 2',
    closed: 'x',
    'charter.json': '{}',
    'run.json': JSON.stringify({
      ...{ catalogue: 'items.csv', scale: '1:5:1', epsilon: 1, people: 100 },
      ...{ coordinator: 'board.json', aggregators: ['north.json', 'south.json'], parties: ['north.json'] },
    }),
    'key.pem': 'no key',
    'table.parquet': 'PAR1 no table PAR1',
    'a.zip': Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(60)]),
    'a.csv.gz': Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3]),
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(root, name), content);
  chmodSync(join(root, 'closed'), 0);
}

/** The options of every command, by its words. */
async function optionsByCommand() {
  const options = new Map();
  const collect = (command, path) => {
    if (command.commands.length === 0) options.set(path.join(' '), command.options);
    for (const child of command.commands) collect(child, [...path, child.name()]);
  };
  collect(await buildProgram(), []);
  return options;
}

/** What a user may put for an argument. */
const anything = (random) => (random.chance(0.6) ? random.pick(places) : random.pick(texts));

/** A line that works, with one or two arguments changed, left out or added. */
function damagedLine(options, random) {
  const args = [...random.pick(lines)];
  const nameOf = () => (options.has(args[0]) ? args[0] : args.slice(0, 2).join(' '));
  const first = nameOf().split(' ').length;
  for (let k = random.chance(0.7) ? 1 : 2; k > 0; k--) {
    const which = first + random.below(Math.max(1, args.length - first));
    switch (random.below(5)) {
      case 0:
      case 1:
        args[which] = anything(random);
        break;
      case 2:
        args.splice(which, 1);
        break;
      default: {
        const known = options.get(nameOf()) ?? [];
        if (known.length === 0) break;
        const { long, required, optional } = random.pick(known);
        args.push(long, ...(required || optional ? [anything(random)] : []));
      }
    }
  }
  return args;
}

/** A copy of a folder with one of its files damaged. */
function writeDamagedCopy(root, what, whole, random) {
  const inside = whole.filter(({ path, bytes }) => bytes && path.startsWith(join(root, what, '/')));
  mkdirSync(join(root, `damaged-${what}`));
  const hit = random.below(inside.length);
  inside.forEach(({ path, bytes }, index) => {
    const copy = path.replace(`/${what}/`, `/damaged-${what}/`);
    writeFileSync(copy, index === hit ? mutated(bytes, random) : bytes);
  });
}

/** Runs a line: the exit code, or with `!` what must not come of any line. */
async function tried(root, args) {
  const short = (text) => text.replaceAll(`${root}/`, '@');
  // Work that has no end of its own is interrupted, as Ctrl-C does.
  const patience = setTimeout(() => process.emit('SIGINT'), 2500);
  try {
    const { code, errors, text } = await runQuietly(args);
    const line = short(args.join(' '));
    const said = short(errors.trim()).slice(-300);
    if (/\n\s+at .*:\d+:\d+/.test(errors)) return `! stack: ${line}: ${said}`;
    // The machine's: a server that does not answer is no fault of the command line.
    if (code === 1 && /ECONNREFUSED/.test(said)) return 'exit code 1, nobody there';
    if (code === 1 && !/^(verify|audit)/.test(line)) return `! exit code 1: ${line}: ${said}`;
    if (code === 1 && !/✗|FAILED|not |differ|no /i.test(text + errors))
      return `! no verdict: ${line}: ${said}`;
    if (![0, 1, 2, 3, 4, 130].includes(code)) return `! exit code ${code}: ${line}`;
    if (code !== 0 && code !== 130 && said === '' && text === '') return `! no word: ${line}`;
    const own = args.reduce((words, each) => (each === '' ? words : words.replaceAll(each, '')), said);
    if (raw.test(own)) return `! raw words: ${line}: ${said}`;
    return `exit code ${code}`;
  } catch (error) {
    return `! threw ${error.name}: ${short(args.join(' '))}: ${error.message}`;
  } finally {
    clearTimeout(patience);
  }
}

/** Words of Node, zod, SQLite, DuckDB and the engine that are no words of ours. */
const raw =
  /TypeError|ReferenceError|RangeError|is not a function|Cannot read propert|is not iterable|undefined \(reading|Unexpected token|in JSON at|invalid_type|"expected":|ZodError|\bSqliteError|Catalog Error|Binder Error|Conversion Error|IO Error:|Invalid Input Error|\bENOENT: |\bEISDIR: |\bENOTDIR: |\bEACCES: |\bEPERM: |\bENAMETOOLONG: |ERR_[A-Z_]+|\[object Object\]|\bundefined\b|\bNaN\b(?!")/;
