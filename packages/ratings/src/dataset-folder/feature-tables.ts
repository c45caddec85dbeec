import { type Csr, csrFromTriples } from '@hushrec/numerics';
import type { AsyncBuffer } from 'hyparquet';
import type { FeatureManifest, FeatureSource } from '../rating-matrix.js';
import { decodeTable, describeTable, encodeInParts } from './parquet-table.js';

/** Files of one feature source: name → bytes, in parts. `number` is its place in the data set, from 1. */
export function encodeFeature(source: FeatureSource, number: number): Map<string, Uint8Array[]> {
  const files = new Map<string, Uint8Array[]>();
  switch (source.kind) {
    case 'categorical':
      for (const [index, { tokens, byItem }] of source.fields.entries()) {
        files.set(fieldFile(number, index), encodeCsr(byItem));
        files.set(tokensFile(number, index), encodeInParts([{ name: 'token', type: 'text', data: tokens }]));
      }
      return files;
    case 'similarity':
      return files.set(valuesFile(number), encodeCsr(source.byItem));
    case 'public-ratings':
      return files.set(valuesFile(number), encodeCsr(source.byUser));
  }
}

/** What `dataset.json` says about a feature source. */
export function featureManifest(source: FeatureSource): FeatureManifest {
  const { name } = source;
  switch (source.kind) {
    case 'categorical':
      return {
        kind: source.kind,
        name,
        fields: source.fields.map((field) => ({ name: field.name, tokens: field.tokens.length })),
      };
    case 'similarity':
      return { kind: source.kind, name };
    case 'public-ratings':
      return { kind: source.kind, name, people: source.byUser.rowCount, scale: source.scale };
  }
}

/** Gives a file of the folder, checked, to `use`. */
export type FileReader = <Result>(
  name: string,
  use: (file: AsyncBuffer) => Promise<Result>,
) => Promise<Result>;

/** Reads a source back. */
export async function decodeFeature(
  manifest: FeatureManifest,
  number: number,
  itemCount: number,
  read: FileReader,
): Promise<FeatureSource> {
  const { name } = manifest;
  switch (manifest.kind) {
    case 'categorical': {
      const fields = [];
      for (const [index, field] of manifest.fields.entries()) {
        const tokens: string[] = [];
        await read(tokensFile(number, index), (file) => decodeTable(file, { token: tokens }));
        const byItem = await read(fieldFile(number, index), (file) =>
          decodeCsr(file, itemCount, field.tokens),
        );
        fields.push({ name: field.name, tokens, byItem });
      }
      return { kind: manifest.kind, name, fields };
    }
    case 'similarity':
      return {
        kind: manifest.kind,
        name,
        byItem: await read(valuesFile(number), (file) => decodeCsr(file, itemCount, itemCount)),
      };
    case 'public-ratings':
      return {
        kind: manifest.kind,
        name,
        byUser: await read(valuesFile(number), (file) => decodeCsr(file, manifest.people, itemCount)),
        scale: manifest.scale,
      };
  }
}

const fieldFile = (number: number, field: number) => `feature-${number}-field-${field + 1}.parquet`;
const tokensFile = (number: number, field: number) => `feature-${number}-field-${field + 1}-tokens.parquet`;
const valuesFile = (number: number) => `feature-${number}.parquet`;

function encodeCsr(csr: Csr): Uint8Array[] {
  const rows = new Uint32Array(csr.indices.length);
  for (let row = 0; row < csr.rowCount; row++) rows.fill(row, csr.offsets[row], csr.offsets[row + 1]);
  return encodeInParts([
    { name: 'row', type: 'index', data: rows },
    { name: 'column', type: 'index', data: csr.indices },
    { name: 'value', type: 'float32', data: csr.values },
  ]);
}

async function decodeCsr(file: AsyncBuffer, rowCount: number, columnCount: number): Promise<Csr> {
  const count = (await describeTable(file)).rows;
  const row = new Uint32Array(count);
  const column = new Uint32Array(count);
  const value = new Float32Array(count);
  await decodeTable(file, { row, column, value });
  return csrFromTriples(rowCount, columnCount, row, column, value);
}
