import { type z } from 'zod';
import { transaction } from '../../adapters/postgres/connection';
import { seal } from '../../adapters/sealing';
import { audit } from '../../audit/audit';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { message } from '../../kit/page';
import { PlatformKeys } from './platformKeys.model';
import { type PlatformKeysBody } from './platformKeys.schemas';

/** Replaces the platform's older keys. No response contains them. */
export async function setPlatformKeys(caller: Caller, input: z.output<typeof PlatformKeysBody>, requestId: string) {
  const { type: platform, public_key, private_key, keys } = input;
  const given = { ...keys, ...(public_key && { public_key }), ...(private_key && { private_key }) };
  if (Object.keys(given).length === 0)
    throw new AppError('missing_parameter', { errors: { keys: 'The keys must not be empty.' } });
  const { merchantId } = caller;
  const sealedKeys = seal('platform keys', JSON.stringify(given));
  await transaction(async (inTransaction) => {
    const row = { merchantId, platform, sealedKeys, updatedAt: new Date() };
    await PlatformKeys.upsert(row, { transaction: inTransaction });
    await audit(inTransaction, caller, { action: 'platform_keys.set', object: ['platform', platform], requestId });
  });
  return message('External account successfully saved');
}
