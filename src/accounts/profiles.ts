import { type z } from 'zod';
import { now } from '../adapters/clock';
import { signProfileToken } from '../adapters/jwt';
import { hashPassword, verifyPassword } from '../adapters/passwords';
import { transaction, violatedConstraint } from '../adapters/postgres/connection';
import { throttleAttempts } from '../adapters/postgres/throttling';
import { execute } from '../adapters/postgres/statement';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { message } from '../kit/page';
import { Profile } from './profiles.model';
import { presentEnteredProfile, presentProfile } from './profiles.presenter';
import { type NewProfileBody, type ProfileBody } from './profiles.schemas';

/** More than a family needs, so the list is not paged. */
const profilesMax = 20;

/** The owner of the favourites and the history in a request: the account, or one of its profiles. */
export interface Viewer {
  merchantId: number;
  accountId: number;
  profileId: number | null;
}

export async function listProfiles(caller: Caller) {
  const profiles = await Profile.findAll({ where: ownedBy(caller), order: ['id'] });
  return profiles.map((profile) => presentProfile(profile, profiles[0]?.id ?? profile.id));
}

export async function createProfile(caller: Caller, input: z.output<typeof NewProfileBody>) {
  const pinHash = input.pin === undefined ? null : await hashPassword(input.pin);
  const profile = await refusingTakenName(() =>
    transaction(async (inTransaction) => {
      // If two profiles are added at the same time, the second waits and is counted after the first.
      await execute(inTransaction, 'SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [caller.accountId]);
      const count = await Profile.count({ where: ownedBy(caller), transaction: inTransaction });
      if (count >= profilesMax)
        throw new AppError('invalid_input', { errors: { name: `The account has ${profilesMax} profiles already.` } });
      const created = await Profile.create(
        { ...ownedBy(caller), ...columnsOf(input), pinHash },
        { transaction: inTransaction },
      );
      return created.reload({ transaction: inTransaction });
    }),
  );
  return presented(profile);
}

export async function getProfile(caller: Caller, profileId: number) {
  return presented(await getProfileRow(caller, profileId));
}

/** The pin does not change: no client changes it. */
export async function updateProfile(caller: Caller, profileId: number, input: z.output<typeof ProfileBody>) {
  const profile = await getProfileRow(caller, profileId);
  await refusingTakenName(() => profile.update({ ...columnsOf(input), updatedAt: now() }));
  return presented(profile);
}

export async function deleteProfile(caller: Caller, profileId: number) {
  const deleted = await Profile.destroy({ where: { ...ownedBy(caller), id: profileId } });
  if (deleted === 0) throw new AppError('profile_not_found');
  return message('Profile successfully deleted');
}

/**
 * Issues a token of the caller's own session for a profile's favourites and history. It ends with that session, and no
 * session limit counts it. A wrong pin is 422, because clients drop their session on 401.
 */
export async function enterProfile(caller: Caller, profileId: number, pin: string | undefined, bearer: string) {
  const profile = await getProfileRow(caller, profileId);
  if (profile.pinHash !== null) await checkPin(caller, profileId, profile.pinHash, pin);
  return presentEnteredProfile(await presented(profile), signProfileToken(bearer, profileId));
}

/** Throws if the token's profile was deleted after the token was issued. */
export async function getViewer(caller: Caller): Promise<Viewer> {
  const { profileId } = caller;
  if (profileId !== undefined && !(await Profile.findOne({ where: { ...ownedBy(caller), id: profileId } })))
    throw new AppError('invalid_auth_token');
  return { ...ownedBy(caller), profileId: profileId ?? null };
}

/** A pin has few digits, so failed attempts are counted and soon delayed. */
async function checkPin(caller: Caller, profileId: number, pinHash: string, pin: string | undefined): Promise<void> {
  if (pin === undefined) throw new AppError('missing_parameter', { errors: { pin: 'The pin must not be empty.' } });
  const attempt = { kind: 'pin-code', subject: `profile ${profileId}`, address: caller.clientAddress } as const;
  const isRight = await throttleAttempts(attempt, async () => (await verifyPassword(pinHash, pin)) || undefined);
  if (!isRight) throw new AppError('invalid_pin', { errors: { pin: 'The pin is not the one of this profile.' } });
}

async function presented(profile: Profile) {
  const defaultId = await Profile.min<number, Profile>('id', { where: { accountId: profile.accountId } });
  return presentProfile(profile, defaultId);
}

async function getProfileRow(caller: Caller, profileId: number): Promise<Profile> {
  const profile = await Profile.findOne({ where: { ...ownedBy(caller), id: profileId } });
  if (!profile) throw new AppError('profile_not_found');
  return profile;
}

function ownedBy(caller: Caller) {
  return { merchantId: caller.merchantId, accountId: caller.accountId };
}

function columnsOf(input: z.output<typeof ProfileBody>) {
  const { name, adult, avatar_url: avatarUrl } = input;
  return { name, isAdult: adult, ...(avatarUrl !== undefined && { avatarUrl }) };
}

async function refusingTakenName(write: () => Promise<Profile>): Promise<Profile> {
  try {
    return await write();
  } catch (error) {
    if (violatedConstraint(error) === 'profiles_name') throw new AppError('profile_exists');
    throw error;
  }
}
