import { certificateText } from './certificate-text.js';
import type { ItemModel } from './item-model.js';
import type { ModelManifest, PublishedModel } from './published-model.js';

/**
 * A model card in Markdown: what a model is, what is promised, what it may be used for and how to check it. A
 * function of the model folder alone, so it tells nothing that whoever holds the folder does not know.
 */
export function modelCard({ manifest, model, certificate }: PublishedModel): string {
  const { method, hash, signature, simulation, epsilon } = certificate;
  const protects = epsilon !== null && !simulation;
  return [
    `# Model card: recommendations by ${code(method)}`,
    '## What it is',
    bullets([
      `${kindWords(model)} for ${counted(manifest.itemIds.length)} items. It holds numbers about items${holdsPeople(model) ? ' and, as the method releases them, about people' : ' and none about any person'}.`,
      `Feedback: ${feedbackWords(model, manifest)}.`,
      `A person’s own history is fitted to it on their device, and recommendations are computed there.`,
      `Settings: ${settingsWords(manifest)}.`,
      `Made by Hushrec ${manifest.versions.hushrec}; format \`${manifest.format}\`.`,
    ]),
    '## Data',
    bullets(dataLines(manifest, certificate.catalogue)),
    '## Intended use',
    bullets([
      protects
        ? 'Recommending items to people, among them people whose ratings it was not trained on. The folder may be given to anyone.'
        : 'Comparing methods on data that may be seen. Do not publish it: it protects nobody.',
      ...(model.kind === 'baseline' ? [] : ['Finding items that are like an item.']),
    ]),
    '## Not intended',
    bullets([
      'Decisions about people: a score says what somebody may like, and nothing else about them.',
      'Learning about single people. Lists that are made of people’s histories are personal data, and no certificate covers them.',
      'Items that were not there when it was trained: it knows nothing of them.',
    ]),
    // The certificate in words, one level down.
    certificateText(certificate).trimEnd().replace(/^#/gm, '##'),
    '## How to check it',
    bullets([
      '`hushrec verify <folder>` recomputes the guarantee with a second accountant and checks every file against the certificate.',
      `Hash of the certificate: \`${hash}\``,
      signature === undefined
        ? 'It is not signed.'
        : `Signed (Ed25519) by \`${signature.publicKey}\`: require it with \`--key\`.`,
    ]),
  ]
    .join('\n\n')
    .concat('\n');
}

/** Text of a file as code, on one line whatever it is. */
const code = (text: string) => `\`${text.replace(/[`\s]+/g, ' ')}\``;

const counted = (count: number) => count.toLocaleString('en');

const bullets = (lines: readonly string[]) => lines.map((line) => `- ${line}`).join('\n');

function kindWords(model: ItemModel): string {
  switch (model.kind) {
    case 'factors':
      return `Vectors of ${model.rank} numbers`;
    case 'neighbours':
      return `Lists of up to ${model.k} neighbours`;
    case 'baseline':
      return 'Averages';
    default:
      return model satisfies never;
  }
}

function holdsPeople(model: ItemModel): boolean {
  return model.kind !== 'neighbours' && model.users !== undefined;
}

function feedbackWords(model: ItemModel, { scale }: ModelManifest): string {
  if (model.feedback === 'implicit') return 'choices without grades';
  return scale === undefined ? 'ratings' : `ratings from ${scale.min} to ${scale.max}`;
}

function settingsWords({ settings }: ModelManifest): string {
  const words = Object.entries(settings).map(([name, value]) => code(`${name}=${value}`));
  return words.length === 0 ? 'none' : words.join(', ');
}

/** What is public about the data: what was declared, and public sources. */
function dataLines({ run, titles }: ModelManifest, catalogue: 'declared' | 'rated items'): string[] {
  const trained = Object.entries(run?.trainedOn ?? {}).map(([name, value]) => code(`${name} ${value}`));
  return [
    catalogue === 'declared'
      ? 'The list of items was declared.'
      : 'The list of items is that of the items that were rated.',
    titles === undefined ? 'It has no titles of items.' : 'It has titles of items.',
    ...(run?.declaredPeople === undefined
      ? []
      : [`About ${counted(run.declaredPeople)} people, as declared.`]),
    ...(trained.length === 0 ? [] : [`Trained on a part of the data: ${trained.join(', ')}.`]),
    ...(run?.sources ?? []).map(
      ({ name, kind, sha256 }) => `Public source: ${code(name)} (${code(kind)}), SHA-256 ${code(sha256)}.`,
    ),
    'The ratings themselves are not in the folder.',
  ];
}
