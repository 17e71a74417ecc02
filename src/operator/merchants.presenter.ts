import { type z } from 'zod';
import { unixSeconds } from '../kit/time';
import { type MailBudget } from '../mail/mail.model';
import { type MerchantRow } from './merchants.model';
import { type MerchantResponse } from './operator.schemas';

const secondsOrNull = (time: Date | null) => (time === null ? null : unixSeconds(time));

export function presentMerchant(row: MerchantRow, budget: MailBudget): z.output<typeof MerchantResponse> {
  const { id, uuid, name, email, state, reason, customers } = row;
  return {
    ...{ id, uuid, name, email, state, reason, customers },
    master_id: row.masterId,
    created_at: unixSeconds(row.createdAt),
    waiting_since: secondsOrNull(row.waitingSince),
    suspended_at: secondsOrNull(row.suspendedAt),
    mail_budget: {
      limit: budget.limit,
      used: budget.used,
      security_used: budget.securityUsed,
      waiting: budget.waiting,
      refused: budget.refusedLately,
      is_in_good_standing: budget.isGood,
    },
  };
}
