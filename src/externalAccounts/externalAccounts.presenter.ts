import { type z } from 'zod';
import { message } from '../kit/page';
import { type ExternalAccount } from './externalAccounts.model';
import { type ExternalAccountResponse } from './externalAccounts.schemas';

export function presentExternalAccount(
  row: ExternalAccount,
  text: string,
  admission: { token: string; expiresAtSeconds: number },
): z.output<typeof ExternalAccountResponse> {
  return {
    ...message(text),
    id: row.id,
    account_id: row.accountId,
    nickname: row.nickname,
    token: admission.token,
    expires: admission.expiresAtSeconds,
  };
}
