import { createFee, type Shop } from '../../support/factories';
import { chargesOf } from '../../support/ledger';
import { openPortalElsewhere, proveMailbox } from '../../support/portalCards';
import { startScenarios, type Scenarios } from '../../support/scenarios';

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));

afterAll(() => scenarios.stop());

const dearerPlan = async ({ merchant, item }: Pick<Shop, 'merchant' | 'item'>) =>
  (await createFee(scenarios.app, merchant, item.id, { amount: '19.99' })).id;
const setPrice = (feeId: number, minor: number) =>
  scenarios.app.pool.query('UPDATE access_fees SET amount_minor = $2 WHERE id = $1', [feeId, minor]);

test('409 price_changed: more is due than was shown, and nothing is charged; the shown total or more is accepted', async () => {
  const scenario = await scenarios.subscribe();
  const fields = { access_fee_id: await dearerPlan(scenario.shop), mode: 'reset' };
  const { status, body } = await scenario.request('switch', { ...fields, expected_amount: '5.00' });
  const total = { currency: 'EUR', amount: expect.any(Number) as number };
  expect([status, body]).toMatchObject([409, { error: 'price_changed', total }]);
  expect(await chargesOf(scenarios.app, scenario.id)).toHaveLength(1);
  expect((await scenario.request('switch', { ...fields, expected_amount: '19.99' })).status).toBe(200);
});

test('422: the portal shows the new total of a plan whose price has risen', async () => {
  const { shop, path, walker } = await openPortalElsewhere(scenarios.app);
  await proveMailbox(scenarios.app, shop.consumer.id);
  const fee = await dearerPlan(shop);
  const { text } = await walker.open(`${path}/switch?fee=${fee}`);
  const [, shown = ''] = /name="expected_amount" value="([\d.]+)"/.exec(text) ?? [];
  await setPrice(fee, 2999);
  const form = { access_fee_id: String(fee), mode: 'now', expected_amount: shown };
  const refused = await walker.submit(`${path}/switch`, form);
  expect([refused.status, refused.text.includes('The price has changed.')]).toEqual([422, true]);
  expect(refused.text).toMatch(/Change plan and pay €(?:20\.00|19\.99)/);
});
