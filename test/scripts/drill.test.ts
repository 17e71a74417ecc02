import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { migrate } from '../../src/adapters/postgres/migrate';
import { call } from '../support/client';
import { DatabaseServer, findServerPrograms } from '../support/databaseServer';
import { createConsumer, createShop, reaches, subscribe, type Person, type Shop } from '../support/factories';
import { issued } from '../support/invoices';
import { createInstallation, type Installation } from '../support/installation';
import { chargesOf, takenFor } from '../support/ledger';
import { listUnmatched } from '../support/payments';
import { isErased, requestErasure } from '../support/privacy';
import { passDays } from '../support/testClock';
import { nameSeller } from '../support/tax';
import { until } from '../support/until';

/** The machine with PostgreSQL and Temporal is lost. What is left: the folder of the backups, and the card provider. */

const programs = findServerPrograms();
const title = 'a drill: the machine with both stores is lost';
const drill = programs === undefined ? describe.skip : describe;

interface Buyer {
  shop: Shop;
  token: string;
}

drill(programs === undefined ? `${title} (skipped: no pg_basebackup is found)` : title, () => {
  let server: DatabaseServer;
  let installation: Installation;
  let shop: Shop;
  let beforeBackup: Buyer;
  let afterBackup: Buyer;
  let lost: Buyer;
  let erased: Person;
  let erasures = '';
  let lostNumber = '';
  let marked = '';

  const buy = async (): Promise<Buyer> => {
    const own = { ...shop, consumer: await createConsumer(installation, shop.merchant) };
    const { body } = await subscribe(installation, own);
    await reaches(installation, own.consumer, body.subscription_id, 'active');
    return { shop: own, token: body.subscription_id };
  };
  const paidCycles = async ({ token }: Buyer) =>
    (await chargesOf(installation, token)).filter(({ status }) => status === 'paid').map(({ cycle }) => cycle);
  const numbers = async () => (await issued(installation, shop.merchant)).map(({ number }) => number);
  const isAllowed = async ({ shop: { consumer, item } }: Buyer) =>
    (await call(installation, 'GET', `/items/${item.id}/access`, undefined, consumer)).status === 200;

  beforeAll(async () => {
    server = await DatabaseServer.create(programs ?? '');
    await server.start();
    await migrate(server.url);
    installation = await createInstallation(server);
    await installation.start();
    shop = await createShop(installation);
    await nameSeller(installation, shop);
    beforeBackup = await buy();
    await server.script('backup.sh');
    afterBackup = await buy();
    erased = await createConsumer(installation, shop.merchant);
    const moment = await server.nextSecond();
    lost = await buy();
    lostNumber = (await numbers()).at(-1) ?? '';
    await requestErasure(installation, erased);
    await isErased(installation, erased.id);
    await server.script('erasures.sh');
    await server.archive();

    await server.kill();
    await rm(server.data, { recursive: true });
    await installation.temporal.kill();
    await installation.stopPrograms();

    await server.script('restore.sh', [moment]);
    await server.start();
    marked = await installation.run('restored.js', [moment]);
    // The file is all that is left of the erasure.
    erasures = await readFile(join(server.backups, 'erasures'), 'utf8');
    await installation.run('erasures.js', ['replay'], erasures);
    await installation.temporal.startEmpty();
    await installation.start();
  });

  afterAll(async () => {
    await installation.remove();
    await server.remove();
  });

  test('customers of before the moment have access, also those who bought after the base backup', async () => {
    expect(await isAllowed(beforeBackup)).toBe(true);
    expect(await isAllowed(afterBackup)).toBe(true);
  });

  test('an account that was erased after the moment is erased again', async () => {
    expect(erasures).toBe(`${erased.uuid}\n`);
    await isErased(installation, erased.id);
  });

  test('a payment after the moment is listed for its merchant', async () => {
    const found = await until(async () => {
      const { collection } = await listUnmatched(installation, shop.merchant);
      return collection.length > 0 && collection;
    });
    expect(found.map(({ purchase }) => purchase)).toEqual([lost.token]);
  });

  test('the runs are back, and each subscription is charged once for its next period', async () => {
    await passDays(installation, shop.merchant, 31);
    for (const buyer of [beforeBackup, afterBackup]) {
      await until(async () => (await paidCycles(buyer)).length === 2);
      expect(await paidCycles(buyer)).toEqual([1, 2]);
      expect((await takenFor(installation, buyer.token)).map(({ key }) => key)).toEqual([
        `${buyer.token}:1:1`,
        `${buyer.token}:2:1`,
      ]);
    }
    expect((await takenFor(installation, lost.token)).map(({ key }) => key)).toEqual([`${lost.token}:1:1`]);
  });

  test('the command names the number of the lost invoice, and the invoices after the restore have a new series', async () => {
    const [, series = ''] = /in the series (R\d{12})\./.exec(marked) ?? [];
    expect(marked).toContain(`Merchant ${shop.merchant.id}:`);
    expect(marked).toContain(`documents from ${lostNumber} on may be lost`);
    const [first, second, ...later] = await numbers();
    expect([first, second]).not.toContain(lostNumber);
    expect(later.map((number) => number.includes(`-${series}-00000`))).toEqual([true, true]);
  });
});
