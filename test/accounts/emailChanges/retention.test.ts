import { call } from '../../support/client';
import { askForChange, changeAtOnce, createActiveConsumer } from '../../support/emailChanges';
import { type Person } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

async function rowsAfterDeletion({ id }: Person): Promise<number> {
  const retention = await import('../../../src/privacy/retention.js');
  await retention.deleteOutdated();
  return (await app.pool.query('SELECT FROM email_changes WHERE account_id = $1', [id])).rows.length;
}

const age = ({ id }: Person, age: string) =>
  app.pool.query('UPDATE email_changes SET created_at = now() - $2::interval WHERE account_id = $1', [id, age]);

test('a request that was not confirmed is deleted after seven days, together with its link for the owner', async () => {
  const { consumer: waiting } = await askForChange(app, await createActiveConsumer(app));
  const { consumer: ended } = await askForChange(app, await createActiveConsumer(app));
  await call(app, 'DELETE', '/v2/accounts/email', undefined, ended);
  for (const person of [waiting, ended]) {
    await age(person, '6 days 23 hours');
    expect(await rowsAfterDeletion(person)).toBe(1);
    await age(person, '7 days 1 hour');
    expect(await rowsAfterDeletion(person)).toBe(0);
  }
});

test('a confirmed change stays with its account', async () => {
  const { consumer } = await createActiveConsumer(app);
  await changeAtOnce(app, consumer);
  await age(consumer, '400 days');
  await app.pool.query('UPDATE email_changes SET undo_until = now() WHERE account_id = $1', [consumer.id]);
  expect(await rowsAfterDeletion(consumer)).toBe(1);
});
