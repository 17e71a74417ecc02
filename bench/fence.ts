import { type Client } from 'pg';
import { withClient } from './database';
import { Loader } from './load';
import { type Setting } from './parts';
import { type Line, median } from './table';
import { openViewers } from './viewers';
import { ofViewers } from './reads';

/** Short rounds in turn, so that other load on the machine affects both sides. */
const rounds = 11;
const secondsPerRound = 1;
const connections = 64;

/** What the policies of `290-fence.sql` cost: reads with them, beside the same reads without them. */
export async function measureFence({ product, tell }: Setting): Promise<Line[]> {
  const viewing = await openViewers(product.databaseUrl);
  const reads = {
    check: ofViewers(viewing, ({ itemId }) => `/items/${itemId}/access`),
    subscriptions: ofViewers(viewing, () => '/subscriptions?size=15'),
    purchases: ofViewers(viewing, () => '/items/access/customers?size=15'),
  };
  const names = ['check', 'subscriptions', 'purchases'] as const;
  return withClient(product.databaseUrl, async (owner) => {
    const rates = { check: [] as number[][], subscriptions: [] as number[][], purchases: [] as number[][] };
    tell(`${rounds} rounds of ${secondsPerRound} s each, with and without policies, of ${names.length} reads in turn`);
    for (const name of names) {
      const loader = new Loader({ port: product.apiPort, connections, requests: reads[name] });
      await loader.run({ seconds: 4 });
      for (let round = 0; round < rounds; round += 1) {
        const rate: number[] = [];
        // The first side of each round changes.
        for (const isFenced of round % 2 === 0 ? [true, false] : [false, true]) {
          await setPolicies(owner, isFenced);
          await loader.run({ seconds: 0.2 });
          const { answers, seconds } = await loader.run({ seconds: secondsPerRound });
          rate[isFenced ? 0 : 1] = answers / seconds;
        }
        rates[name].push(rate);
      }
      loader.stop();
    }
    await setPolicies(owner, true);
    const line = (what: string, name: keyof typeof rates): Line => ({
      what,
      unit: '/s',
      product: median(rates[name].map(([fenced = Number.NaN]) => fenced)),
      bare: median(rates[name].map(([, open = Number.NaN]) => open)),
      ratio: median(rates[name].map(([fenced = Number.NaN, open = Number.NaN]) => fenced / open)),
    });
    return [
      { ...line('Access checks with policies, beside without', 'check'), aim: { atLeast: 0.95 } },
      line("A consumer's subscriptions with policies, beside without", 'subscriptions'),
      line("A consumer's purchases with policies, beside without", 'purchases'),
    ];
  });
}

/** One table at a time: a transaction that locks many of them would wait for statements that wait for it. */
async function setPolicies(owner: Client, isFenced: boolean): Promise<void> {
  const { rows } = await owner.query<{ name: string }>(
    `SELECT polrelid::regclass::text AS name FROM pg_policy WHERE polname = 'fence'`,
  );
  for (const { name } of rows)
    await owner.query(`ALTER TABLE ${name} ${isFenced ? 'ENABLE' : 'DISABLE'} ROW LEVEL SECURITY`);
}
