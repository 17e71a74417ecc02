import { randomUUID } from 'node:crypto';
import { call } from '../../support/client';
import { accountOf, createSite, startSocialWorld, type SocialWorld } from '../../support/socialSignIn';

let world: SocialWorld;

beforeAll(async () => {
  world = await startSocialWorld();
});
afterAll(() => world.stop());

const signIn = async (login: string) => {
  const merchant = await createSite(world.app);
  const members = await world.signIn(merchant, login);
  return { merchant, caller: { token: members['token'] ?? '' } };
};
const email = () => `${randomUUID()}@example.org`;

test.each([
  ['verified', true],
  ['unverified', false],
])('200: an identity of a %s address', async (kind, isProven) => {
  const { caller } = await signIn(`${kind}:${email()}`);
  const { status, body } = await call(world.app, 'GET', '/accounts/identities', undefined, caller);
  expect({ status, body }).toEqual({
    status: 200,
    body: { collection: [{ provider: 'acme', is_proven: isProven, linked_at: expect.any(Number) as number }] },
  });
  expect((await accountOf(world.app, caller.token)).body.social_apps_metadata).toEqual([{ name: 'acme' }]);
});
