import { z } from 'zod';
import { formId, formInt, formList } from '../kit/form';
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
  total_up_to: formInt()
    .pipe(z.int().min(1).max(1_000_000))
    .meta({
      description:
        'The most customers that are counted, so that a text that many of them have is found in a short time: a `total` of ' +
        'this number or more means that there are at least so many. Without it, `total` counts all',
    })
    .optional(),
  ...sortFields(userSorts),
});

export const DeactivationBody = z.object({ customerID: formId() });

export const UserPage = cursorPageOf(AccountResponse);
