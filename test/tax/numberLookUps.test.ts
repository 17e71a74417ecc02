import { askedBy } from '../support/asked';
import { call } from '../support/client';
import { createConsumer, createMerchant, type Person } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import { nameSeller } from '../support/tax';
import { saying, startViesServer, type ViesServer } from '../support/viesServer';

/** Tax numbers that VIES did not answer for are looked up again every hour. */

let app: TestApp;
let vies: ViesServer;

beforeAll(async () => {
  vies = await startViesServer();
  app = await startApp({ VIES_URL: vies.url });
});
beforeEach(async () => {
  await app.pool.query('DELETE FROM billing_details');
  vies.answer = saying('VALID');
});
afterAll(async () => {
  await app.stop();
  await vies.stop();
});

const path = '/v2/accounts/billing-details';
const austria = { country: 'AT', tax_number: 'ATU13585627' };
const monaco = { country: 'MC', tax_number: 'FR40303265045' };
const germany = { country: 'DE', tax_number: 'DE136695976' };

interface Details {
  country: string;
  tax_number: string;
  tax_number_state: string;
  tax_number_confirmed_at: number | null;
}

/** A customer whose number VIES did not answer for. */
async function createUnconfirmed(merchant: Person, fields: Record<string, unknown>): Promise<Person> {
  const before = vies.answer;
  vies.answer = saying('MS_UNAVAILABLE');
  const consumer = await createConsumer(app, merchant);
  const { status, body } = await call<Details>(app, 'PUT', path, fields, consumer);
  expect([status, body.tax_number_state, body.tax_number_confirmed_at]).toEqual([200, 'waiting', null]);
  vies.answer = before;
  vies.asked.length = 0;
  return consumer;
}

const read = async (consumer: Person) => (await call<Details>(app, 'GET', path, undefined, consumer)).body;

async function passHour(): Promise<void> {
  const { lookUpTaxNumbers } = await import('../../src/tax/numberLookUps.js');
  await lookUpTaxNumbers();
}

test('a number is confirmed once VIES answers, with the consultation number, and is not asked for again', async () => {
  const merchant = await createMerchant(app);
  await nameSeller(app, { merchant }, [], { tax_number: 'DE136695976' });
  const consumer = await createUnconfirmed(merchant, austria);
  vies.answer = saying('VALID', 'WAPIAAAAX1');
  await passHour();
  expect(vies.asked).toEqual(['/rest-api/ms/AT/vat/U13585627?requesterMemberStateCode=DE&requesterNumber=136695976']);
  expect(await read(consumer)).toMatchObject({
    ...austria,
    tax_number_state: 'confirmed',
    tax_number_confirmed_at: expect.any(Number) as number,
  });
  const { rows } = await app.pool.query(
    'SELECT tax_number_confirmation AS confirmation FROM billing_details WHERE account_id = $1',
    [consumer.id],
  );
  expect(rows).toEqual([{ confirmation: 'WAPIAAAAX1' }]);
  await passHour();
  expect(vies.asked).toHaveLength(1);
});

test('a business in Monaco has a French number, which is looked up in the same way', async () => {
  const consumer = await createUnconfirmed(await createMerchant(app), monaco);
  await passHour();
  expect(vies.asked).toHaveLength(1);
  expect(vies.asked[0]).toContain('/ms/FR/vat/40303265045');
  expect(await read(consumer)).toMatchObject({ ...monaco, tax_number_state: 'confirmed' });
});

test('a number that is not registered is removed, and the address stays', async () => {
  const consumer = await createUnconfirmed(await createMerchant(app), austria);
  vies.answer = saying('INVALID');
  await passHour();
  expect(await read(consumer)).toMatchObject({ country: 'AT', tax_number: '', tax_number_state: 'none' });
});

test('while VIES is down, the number keeps waiting and counts by its form', async () => {
  const consumer = await createUnconfirmed(await createMerchant(app), austria);
  vies.answer = (response) => void response.destroy();
  await passHour();
  expect(await read(consumer)).toMatchObject({ ...austria, tax_number_state: 'waiting' });
  vies.answer = saying('VALID');
  await passHour();
  expect((await read(consumer)).tax_number_state).toBe('confirmed');
});

test('a member state that does not answer is asked once an hour, and other states are asked', async () => {
  const merchant = await createMerchant(app);
  const austrians = [await createUnconfirmed(merchant, austria), await createUnconfirmed(merchant, austria)];
  const german = await createUnconfirmed(merchant, germany);
  vies.answer = (response) => {
    saying(vies.asked.at(-1)?.includes('/AT/') === true ? 'MS_UNAVAILABLE' : 'VALID')(response);
  };
  await passHour();
  expect(vies.asked).toEqual(['/rest-api/ms/AT/vat/U13585627', '/rest-api/ms/DE/vat/136695976']);
  for (const each of austrians) expect((await read(each)).tax_number_state).toBe('waiting');
  expect((await read(german)).tax_number_state).toBe('confirmed');
});

test('a requester that VIES does not know is left out, and other merchants’ numbers are looked up', async () => {
  const unknown = await createMerchant(app);
  await nameSeller(app, { merchant: unknown }, [], { tax_number: 'DE136695976' });
  const consumers = [
    await createUnconfirmed(unknown, austria),
    await createUnconfirmed(await createMerchant(app), austria),
  ];
  vies.answer = (response) => {
    saying(vies.asked.at(-1)?.includes('requester') === true ? 'INVALID_REQUESTER_INFO' : 'VALID')(response);
  };
  await passHour();
  expect(vies.asked).toHaveLength(3);
  for (const each of consumers) expect((await read(each)).tax_number_state).toBe('confirmed');
});

test('a number that VIES refuses keeps waiting, and the other numbers of its state are looked up', async () => {
  const merchant = await createMerchant(app);
  const [refused, other] = [await createUnconfirmed(merchant, austria), await createUnconfirmed(merchant, austria)];
  vies.answer = (response) => {
    saying(vies.asked.length === 1 ? 'INVALID_INPUT' : 'VALID')(response);
  };
  await passHour();
  expect((await read(refused)).tax_number_state).toBe('waiting');
  expect((await read(other)).tax_number_state).toBe('confirmed');
});

/** A customer whose number VIES confirmed some days ago. */
async function createConfirmed(merchant: Person, fields: Record<string, unknown>, days: number): Promise<Person> {
  const consumer = await createConsumer(app, merchant);
  expect((await call<Details>(app, 'PUT', path, fields, consumer)).body.tax_number_state).toBe('confirmed');
  const text = `UPDATE billing_details SET tax_number_confirmed_at = now() - $2 * interval '1 day' WHERE account_id = $1`;
  await app.pool.query(text, [consumer.id, days]);
  vies.asked.length = 0;
  return consumer;
}

test('a number is looked up again 30 days after its confirmation, and counts while VIES does not answer', async () => {
  const merchant = await createMerchant(app);
  const old = await createConfirmed(merchant, austria, 31);
  const before = (await read(old)).tax_number_confirmed_at ?? 0;
  await createConfirmed(merchant, germany, 29);
  vies.answer = saying('MS_UNAVAILABLE');
  await passHour();
  expect(vies.asked).toEqual(['/rest-api/ms/AT/vat/U13585627']);
  expect(await read(old)).toMatchObject({ ...austria, tax_number_state: 'confirmed', tax_number_confirmed_at: before });
  vies.answer = saying('VALID');
  await passHour();
  expect((await read(old)).tax_number_confirmed_at).toBeGreaterThan(before);
  await passHour();
  expect(vies.asked).toHaveLength(2);
});

test('a business that has lost its registration is a consumer from the next charge on', async () => {
  const consumer = await createConfirmed(await createMerchant(app), austria, 31);
  vies.answer = saying('INVALID');
  await passHour();
  expect(await read(consumer)).toMatchObject({ country: 'AT', tax_number: '', tax_number_state: 'none' });
});

test('a new number comes before confirmed ones, and those with the oldest question first', async () => {
  const merchant = await createMerchant(app);
  for (const days of [40, 50]) await createConfirmed(merchant, days === 40 ? austria : germany, days);
  await createUnconfirmed(merchant, monaco);
  await app.pool.query('UPDATE billing_details SET tax_number_asked_at = NULL');
  await passHour();
  const states = vies.asked.map((asked) => /\/ms\/(..)\//.exec(asked)?.[1]);
  expect(states).toEqual(['FR', 'DE', 'AT']);
});

test('a number that the customer has replaced meanwhile is neither confirmed nor removed', async () => {
  const { confirmTaxNumber, removeTaxNumber } = await import('../../src/tax/billingDetails.model.js');
  const merchant = await createMerchant(app);
  const consumer = await createUnconfirmed(merchant, germany);
  const replaced = { merchantId: merchant.id, accountId: consumer.id, taxNumber: austria.tax_number };
  await confirmTaxNumber(replaced, { confirmedAt: new Date(), confirmation: '', entry: '' });
  expect(await removeTaxNumber(replaced, new Date())).toBeUndefined();
  expect(await read(consumer)).toMatchObject({ ...germany, tax_number_state: 'waiting' });
});

test.each([
  ['the United Kingdom', { country: 'GB', tax_number: 'GB980780684' }],
  ['the Canary Islands', { country: 'ES', region: 'ES-GC', tax_number: 'ESB58378431' }],
])('a number of %s has no register: it is checked by its form and is not looked up', async (_, fields) => {
  const consumer = await createConsumer(app, await createMerchant(app));
  vies.asked.length = 0;
  const { body } = await call<Details>(app, 'PUT', path, fields, consumer);
  expect(body.tax_number_state).toBe('form');
  await passHour();
  expect(vies.asked).toEqual([]);
});

test('the search for due numbers reads no number without a register', async () => {
  const merchant = await createMerchant(app);
  await createUnconfirmed(merchant, austria);
  for (let count = 0; count < 5; count += 1) {
    const consumer = await createConsumer(app, merchant);
    await call(app, 'PUT', path, { country: 'GB', tax_number: 'GB980780684' }, consumer);
  }
  const due = (await askedBy(passHour)).find(({ text }) => text.includes('has_register'));
  await app.pool.query('UPDATE billing_details SET tax_number_confirmed_at = NULL');
  const client = await app.pool.connect();
  await client.query('SET enable_seqscan = off; SET enable_sort = off');
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ANALYZE ${due?.text ?? ''}`, due?.values);
  client.release(true);
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toContain('Index Scan using billing_details_asked');
  expect(plan).toMatch(/billing_details_asked.*actual.*rows=1(\.00)? /);
  expect(plan).not.toContain('Rows Removed by Filter');
});
