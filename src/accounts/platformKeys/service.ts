import { type z } from 'zod';
import { transaction } from '../../adapters/postgres/connection';
import { seal } from '../../adapters/sealing';
import { actorOf, writeAudit } from '../../audit/service';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { message } from '../../kit/page';
import { PlatformKeys } from './model';
import { type PlatformKeysBody } from './schemas';

/** Takes the place of the platform's older keys. They are never shown again. */
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
    const deed = { action: 'platform_keys.set', objectType: 'platform', objectId: platform, requestId } as const;
    await writeAudit(inTransaction, { ...actorOf(caller), ...deed });
  });
  return message('External account successfully saved');
}
