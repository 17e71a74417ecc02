import { waitForLocks } from '../../support/locks';
import {
  accountOf,
  appRedirect,
  createSite,
  membersOf,
  type SocialWorld,
  startSocialWorld,
} from '../../support/socialSignIn';

let world: SocialWorld;

beforeAll(async () => {
  world = await startSocialWorld();
});
afterAll(() => world.stop());

test('303: a sign-in that crosses a proof of the mailbox, which removes its identity, opens no session', async () => {
  const merchant = await createSite(world.app);
  const login = 'verified:crossing@example.org';
  const { token } = await world.signIn(merchant, login);
  const { id } = (await accountOf(world.app, token)).body;
  const { pool } = world.app;
  // What a new password of the owner does.
  const proving = await pool.connect();
  await proving.query('BEGIN');
  await proving.query('DELETE FROM social_identities WHERE account_id = $1', [id]);
  await proving.query(`UPDATE accounts SET password_hash = password_hash || 'changed' WHERE id = $1`, [id]);
  const crossing = world.signInAtProvider(world.openBrowser(), merchant, login);
  await waitForLocks(pool);
  await proving.query('COMMIT');
  proving.release();
  const { url } = await crossing;
  expect(url.href.startsWith(appRedirect)).toBe(true);
  expect(membersOf(url)).not.toHaveProperty('token');
  expect(decodeURIComponent(url.href)).toContain('access_denied');
});
