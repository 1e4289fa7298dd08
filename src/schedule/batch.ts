/**
 * Runs a function over items, a bounded number at a time, and gives the results in the order of the items.
 *
 * If one call fails, no further one is begun, those under way are waited for, and the first failure is thrown.
 */
export async function mapInOrder<Item, Result>(
  items: readonly Item[],
  workers: number,
  run: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const entries = items.entries();
  let failure: { error: unknown } | undefined;
  const work = async (): Promise<void> => {
    for (const [index, item] of entries) {
      if (failure !== undefined) return;
      try {
        results[index] = await run(item, index);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(workers, items.length) }, work));
  if (failure !== undefined) throw failure.error;
  return results;
}
