import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { importDirectionErrors, peopleOnlyErrors } from './import-direction.mjs';

it('packages import from those above them, and methods that need people cannot get a rating', () => {
  expect(importDirectionErrors(fileURLToPath(new URL('..', import.meta.url)))).toEqual([]);
});

it('would be noticed: a method that reads rows, or makes a statistic of its own', () => {
  const source = (names: string) =>
    `import { a } from 'x';\nimport { ${names} } from '@hushrec/somewhere';\n`;
  expect(peopleOnlyErrors('a.ts', source('type RatingMatrix, b'))).toHaveLength(1);
  expect(peopleOnlyErrors('a.ts', source('LocalPeople as People'))).toHaveLength(1);
  expect(peopleOnlyErrors('a.ts', source('sensitive, type TrainingInput'))).toHaveLength(2);
  expect(peopleOnlyErrors('a.ts', source('type People, RatingScale'))).toEqual([]);
});
