import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { addProfile, createProfile, profilesPath } from '../../support/profiles';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

test('200: a profile is added, and the first of an account is its default', async () => {
  const consumer = await createConsumer(app, merchant);
  const avatar = 'https://img.example.org/kid.png';
  const kid = await createProfile(app, consumer, { avatar_url: avatar, pin: '0042' });
  expect(kid).toEqual({
    id: expect.stringMatching(/^pr_\d+$/) as unknown,
    account_id: String(consumer.id),
    name: 'Kid',
    avatar_url: avatar,
    default: true,
    adult: false,
    pin_required: true,
    created_at: expect.any(Number) as unknown,
    updated_at: expect.any(Number) as unknown,
  });
  const second = await createProfile(app, consumer, { name: 'Grown-up', adult: '1' });
  expect(second).toMatchObject({ default: false, adult: true, pin_required: false, avatar_url: '' });
});

test('200: the pin is kept as a hash', async () => {
  const kid = await createProfile(app, await createConsumer(app, merchant), { pin: '739164' });
  const { rows } = await app.pool.query<{ pin_hash: string }>('SELECT pin_hash FROM profiles WHERE id = $1', [
    kid.id.slice(3),
  ]);
  expect(rows[0]?.pin_hash).toMatch(/^\$argon2id\$/);
});

test('409 profile_exists: a name is taken in the account, whatever its case, and free in another', async () => {
  const consumer = await createConsumer(app, merchant);
  await createProfile(app, consumer);
  expect(await addProfile(app, consumer, { name: ' kID ' })).toMatchObject({
    status: 409,
    body: { error: 'profile_exists' },
  });
  expect((await addProfile(app, await createConsumer(app, merchant))).status).toBe(200);
});

test('409 profile_exists: of many at once with one name, one is added', async () => {
  const consumer = await createConsumer(app, merchant);
  const answers = await Promise.all(Array.from({ length: 5 }, () => addProfile(app, consumer)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
});

test('422 invalid_input: an account has at most 20 profiles', async () => {
  const consumer = await createConsumer(app, merchant);
  const names = Array.from({ length: 22 }, (_, index) => `Kid ${index}`);
  const answers = await Promise.all(names.map((name) => addProfile(app, consumer, { name })));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
  expect(answers.filter(({ status }) => status === 422)).toHaveLength(2);
});

test('422 invalid_input: fields that break their rule', async () => {
  const consumer = await createConsumer(app, merchant);
  const { status, body } = await call<{ error: string; errors: Record<string, string> }>(
    app,
    'POST',
    profilesPath,
    { name: 'x'.repeat(51), adult: 'maybe', avatar_url: 'javascript:alert(1)', pin: '12a4' },
    consumer,
  );
  expect(status).toBe(422);
  expect(body.error).toBe('invalid_input');
  expect(Object.keys(body.errors).sort()).toEqual(['adult', 'avatar_url', 'name', 'pin']);
});

test('400 missing_parameter: no name, no adult', async () => {
  const consumer = await createConsumer(app, merchant);
  expect(await call(app, 'POST', profilesPath, {}, consumer)).toMatchObject({
    status: 400,
    body: { error: 'missing_parameter', errors: { name: expect.any(String) as unknown } },
  });
});
