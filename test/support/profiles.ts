import { type z } from 'zod';
import { type EnteredProfileResponse, type ProfileResponse } from '../../src/accounts/profiles.schemas';
import { call } from './client';
import { type TestApp } from './startApp';

export type Profile = z.output<typeof ProfileResponse>;
type EnteredProfile = z.output<typeof EnteredProfileResponse>;
type App = Pick<TestApp, 'address'>;
type Caller = { token: string };

export const profilesPath = '/v2/accounts/profiles';

export const addProfile = (app: App, consumer: Caller, fields: Record<string, unknown> = {}) =>
  call<Profile>(app, 'POST', profilesPath, { name: 'Kid', adult: 'false', ...fields }, consumer);

export const listProfiles = (app: App, consumer: Caller) =>
  call<Profile[]>(app, 'GET', profilesPath, undefined, consumer);

export const enterProfile = (app: App, consumer: Caller, { id }: Profile, fields: Record<string, unknown> = {}) =>
  call<EnteredProfile>(app, 'POST', `${profilesPath}/${id}/token`, fields, consumer);

export async function createProfile(
  app: App,
  consumer: Caller,
  fields: Record<string, unknown> = {},
): Promise<Profile> {
  const { status, body } = await addProfile(app, consumer, fields);
  if (status !== 200) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

/** A profile of the consumer with a token that speaks for it. */
export async function createProfileToken(app: App, consumer: Caller, name: string): Promise<Caller & { id: string }> {
  const profile = await createProfile(app, consumer, { name });
  const { status, body } = await enterProfile(app, consumer, profile);
  if (status !== 200) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
  return { id: profile.id, token: body.credentials.access_token };
}

/** Ids that are not profiles of the other consumer. The given id belongs to somebody else. */
export const foreignProfiles = ({ id }: Profile) =>
  [id, 'pr_999999', 'pr_0', id.slice(3), '../x'].map((one) => `${profilesPath}/${encodeURIComponent(one)}`);
