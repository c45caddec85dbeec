/** Ran, Ye, Huang, Hu 2024, Tables III, IV, VII, VIII (user profiles learnt, ten parties), by the ε printed above the column. */
export const paper = 'Ran, Ye, Huang, Hu 2024';

export const variants = ['strawman', 'complementary', 'symmetric', 'optimal'] as const;
export type Variant = (typeof variants)[number];
export type DpimfData = 'ml-100k' | 'amazon-instant-video';
export type Metric = 'hitRate' | 'ndcg';

export const epsilons = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];

export const published: Readonly<
  Record<DpimfData, Readonly<Record<Metric, Readonly<Record<Variant, readonly number[]>>>>>
> = {
  'ml-100k': {
    hitRate: {
      strawman: [0.1148, 0.1198, 0.1469, 0.1617, 0.1527, 0.1821, 0.1919, 0.1986, 0.2084, 0.2192],
      complementary: [0.1106, 0.1413, 0.1824, 0.1681, 0.206, 0.2142, 0.22, 0.2357, 0.2561, 0.2455],
      symmetric: [0.128, 0.1429, 0.1888, 0.2017, 0.2256, 0.2452, 0.245, 0.2739, 0.2757, 0.2768],
      optimal: [0.1567, 0.2314, 0.289, 0.3523, 0.4093, 0.4552, 0.4732, 0.5127, 0.5302, 0.5342],
    },
    ndcg: {
      strawman: [0.0529, 0.0531, 0.0674, 0.0727, 0.0672, 0.0808, 0.0847, 0.0894, 0.0938, 0.0991],
      complementary: [0.0527, 0.0648, 0.0827, 0.0763, 0.0992, 0.0952, 0.0969, 0.108, 0.1149, 0.1142],
      symmetric: [0.0598, 0.0625, 0.0887, 0.0915, 0.1039, 0.1094, 0.1105, 0.1223, 0.1265, 0.1242],
      optimal: [0.0731, 0.1125, 0.1501, 0.194, 0.2352, 0.2633, 0.283, 0.3012, 0.3183, 0.3226],
    },
  },
  'amazon-instant-video': {
    hitRate: {
      strawman: [0.1288, 0.1234, 0.1494, 0.1496, 0.2222, 0.2201, 0.2573, 0.2395, 0.3001, 0.3114],
      complementary: [0.1204, 0.1669, 0.1922, 0.2318, 0.2477, 0.3358, 0.3375, 0.3659, 0.4053, 0.3828],
      symmetric: [0.1309, 0.1559, 0.232, 0.2722, 0.3274, 0.2907, 0.3832, 0.4001, 0.4291, 0.4486],
      optimal: [0.1984, 0.3388, 0.4315, 0.4924, 0.5174, 0.5535, 0.581, 0.6028, 0.6116, 0.6297],
    },
    ndcg: {
      strawman: [0.0587, 0.0569, 0.0688, 0.0614, 0.1045, 0.0966, 0.1194, 0.1088, 0.1311, 0.1495],
      complementary: [0.0544, 0.0713, 0.0874, 0.1015, 0.1127, 0.1559, 0.1593, 0.1771, 0.2034, 0.192],
      symmetric: [0.0596, 0.0695, 0.1089, 0.1363, 0.1462, 0.1344, 0.1843, 0.1902, 0.2048, 0.231],
      optimal: [0.0933, 0.1961, 0.2822, 0.3543, 0.3936, 0.4249, 0.4627, 0.4847, 0.4931, 0.5063],
    },
  },
};
