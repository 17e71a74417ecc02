import { call } from '../support/client';
import { createConsumer, createMerchant, type Person } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;
let merchant: Person;
let consumer: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
  consumer = await createConsumer(app, merchant);
});

afterAll(() => app.stop());

describe.each(['/accounts', '/v2/accounts'])('GET %s', (path) => {
  test('200: the account of the token, whether consumer or merchant, and no secret of it', async () => {
    for (const [person, role] of [
      [consumer, 'consumer'],
      [merchant, 'merchant'],
    ] as const) {
      const { status, body } = await call<Record<string, unknown>>(app, 'GET', path, undefined, person);
      expect(status).toBe(200);
      expect(body).toMatchObject({
        id: person.id,
        uuid: person.uuid,
        email: person.email,
        merchant_uuid: merchant.uuid,
        roles: [role],
      });
      expect(Object.keys(body).filter((name) => /password|hash|token|normalized/.test(name))).toEqual([]);
    }
  });

  test('200: what a query names is not what answers', async () => {
    const asked = `${path}?id=${merchant.id}&uuid=${merchant.uuid}&account_id=${merchant.id}`;
    expect((await call(app, 'GET', asked, undefined, consumer)).body).toMatchObject({ id: consumer.id });
  });

  test('200: what the database says now, not what the token said when it was made', async () => {
    await app.pool.query(`UPDATE accounts SET full_name = 'Ana Ilieva' WHERE id = $1`, [consumer.id]);
    expect((await call(app, 'GET', path, undefined, consumer)).body).toMatchObject({ full_name: 'Ana Ilieva' });
  });

  test('401 invalid_auth_token: no token, an empty one, one that is none', async () => {
    for (const headers of [{}, { Authorization: '' }, { Authorization: 'Bearer ' }, { Authorization: 'Bearer x' }])
      expect(await call(app, 'GET', path, undefined, { headers })).toMatchObject({
        status: 401,
        body: { code: 401, message: 'Invalid auth token', error: 'invalid_auth_token' },
      });
  });
});
