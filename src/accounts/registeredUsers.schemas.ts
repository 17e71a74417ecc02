import { z } from 'zod';
import { formId, formList } from '../kit/form';
import { cursorPageOf, CursorQuery } from '../kit/page';
import { sortFields } from '../kit/sorting';
import { AccountResponse } from './accounts.schemas';

const searchKeys = ['title', 'id', 'merchant_id', 'merchant_uuid'];
const searchPattern = new RegExp(`^(${searchKeys.join('|')}):[^]{1,200}$`);

/** The keys by which customers are sorted; `name` ignores the case of A to Z. */
export const userSorts = ['created', 'email', 'name'] as const;

/** `active`: 1 for active accounts only; a false value or `all` for every account. */
export const UserQuery = CursorQuery.extend({
  search: formList(
    z.string().regex(searchPattern, `must be key:value, the key one of ${searchKeys.join(', ')}`),
    10,
  ).optional(),
  active: z.enum(['active', 'all', 'true', 'false', '1', '0']).optional(),
  ...sortFields(userSorts),
});

export const DeactivationBody = z.object({ customerID: formId() });

export const UserPage = cursorPageOf(AccountResponse);
