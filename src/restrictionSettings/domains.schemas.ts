import { z } from 'zod';
import { formId, formInt, formList, formObject, formText } from '../kit/form';
import { readDomain } from '../kit/hosts';
import { ListType } from '../restrictions/restrictions.schemas';

export { ItemPath } from '../restrictions/restrictions.schemas';

/** `https://www.example.org/page`, `*.example.org` and `example.org.` all become a host name; an IDN becomes ASCII. */
const Domain = formText({ max: 2048 }).transform((typed, context) => {
  const host = readDomain(typed);
  if (host !== undefined) return host;
  context.addIssue('must be a host name, such as example.org');
  return z.NEVER;
});

/** `id` 0 or absent: a new entry, or the existing entry with this domain. */
const DomainEntry = formObject(
  z.object({ id: formInt().pipe(z.int().min(0).max(2_147_483_647)).default(0), domain: Domain }),
);

export const DomainsBody = z.object({ domains: formList(DomainEntry) });
export const DomainQuery = z.object({ domain: Domain.optional() });
export const DomainTypePath = z.object({ type: ListType });
export const ItemDomainTypePath = z.object({ type: ListType, item_id: formId() });

const DomainRestriction = z.object({
  id: z.int(),
  merchant_id: z.int(),
  item_id: z.int().nullable(),
  type: ListType,
  domain: z.string(),
});

export const DomainList = z.array(DomainRestriction);

/** The item's first entry, and all entries as `domains`. */
export const ItemDomainResponse = z.object({ ...DomainRestriction.shape, item_id: z.int(), domains: DomainList });
