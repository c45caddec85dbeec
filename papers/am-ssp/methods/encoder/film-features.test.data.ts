import { csrFromTriples } from '@hushrec/numerics';

export const filmCount = 7;

/** Genres and cast of seven films; one has neither. */
export const filmFeatures = [
  {
    kind: 'categorical' as const,
    name: 'films',
    fields: [
      {
        name: 'genre',
        tokens: ['a', 'b', 'c'],
        byItem: csrFromTriples(filmCount, 3, [0, 0, 1, 2, 3, 4, 6], [0, 2, 1, 1, 0, 2, 1]),
      },
      { name: 'cast', tokens: ['x', 'y'], byItem: csrFromTriples(filmCount, 2, [0, 1, 1, 5], [1, 0, 1, 0]) },
    ],
  },
];
