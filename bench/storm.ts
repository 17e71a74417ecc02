import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { type Buyer, openBuyer } from './buyer';
import { inParallel } from './inParallel';
import { type Product, type Setting } from './parts';
import { seed } from './seed';
import { median, type Line } from './table';
import { timed } from './timed';

const renewals = Number(process.env['STORM_RENEWALS'] ?? 1_000);
const inFlight = 20;
const idlePurchases = 60;
/** A new purchase begins at this interval, even while earlier ones are waiting. */
const betweenPurchasesMs = 250;
const month = 31 * 86_400;

/** How much longer a purchase takes while all subscriptions of another merchant renew at the same time. */
export async function measureStorm({ product, seeded, tell }: Setting): Promise<Line[]> {
  const crowd = await seed(product.databaseUrl, 'crowd');
  const [crowdBuyer, buyer] = await Promise.all([openBuyer(product, crowd), openBuyer(product, seeded)]);
  const database = new Client(product.databaseUrl);
  await database.connect();
  try {
    tell(`${renewals} subscriptions of one merchant`);
    await inParallel(renewals, inFlight, crowdBuyer.subscribe);
    tell(`${idlePurchases} purchases of another one while nothing else happens`);
    const idle = await purchasesWhile(buyer, (begun) => begun < idlePurchases);
    tell('all of them are due');
    const beganAt = performance.now();
    await moveClock(product, crowd.merchant.token);
    let seconds = 0;
    const busy = await purchasesWhile(buyer, async () => {
      const renewed = await countRenewed(database, crowd.merchant.uuid);
      seconds = (performance.now() - beganAt) / 1000;
      return renewed < renewals;
    });
    const line = (what: string, product: number): Line => ({ what, unit: 'ms', product });
    return [
      line('A purchase while nothing else happens, median', median(idle)),
      {
        ...line(`The same with ${renewals} renewals of another merchant due, median`, median(busy)),
        bare: median(idle),
        aim: { atMost: 2 },
      },
      line('The same, at the latest', Math.max(...busy)),
      { what: `${renewals} renewals`, unit: 's', product: seconds },
    ];
  } finally {
    crowdBuyer.close();
    buyer.close();
    await database.end();
  }
}

/** Makes purchases while `goesOn` is true, and returns the duration of each in milliseconds. */
async function purchasesWhile(
  { subscribe }: Buyer,
  goesOn: (begun: number) => boolean | Promise<boolean>,
): Promise<number[]> {
  const took: Promise<number>[] = [];
  while (await goesOn(took.length)) {
    took.push(timed(subscribe));
    await sleep(betweenPurchasesMs);
  }
  return Promise.all(took);
}

/** The id is read first: with its value, PostgreSQL finds the charges by an index. */
export async function countRenewed(database: Client, merchantUuid: string): Promise<number> {
  const merchants = await database.query<{ id: number }>('SELECT id FROM accounts WHERE uuid = $1', [merchantUuid]);
  const { rows } = await database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM charges WHERE merchant_id = $1 AND cycle = 2 AND status = 'paid'`,
    [merchants.rows[0]?.id],
  );
  return rows[0]?.count ?? 0;
}

/** Moves the test clock of a merchant by a month. */
export async function moveClock({ apiPort }: Product, token: string): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${apiPort}/test-clock`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}` },
    body: new URLSearchParams({ advance: String(month) }),
  });
  if (!answer.ok) throw new Error(`POST /test-clock answered ${answer.status}: ${await answer.text()}`);
}
