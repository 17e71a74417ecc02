import { type z } from 'zod';
import { type DomainRestriction } from './domains.model';
import { type DomainList, type ItemDomainResponse } from './domains.schemas';

export function presentDomain({
  id,
  merchantId,
  itemId,
  type,
  domain,
}: DomainRestriction): z.output<typeof DomainList>[number] {
  return { id, merchant_id: merchantId, item_id: itemId, type, domain };
}

export function presentItemDomains(
  first: DomainRestriction,
  all: readonly DomainRestriction[],
  itemId: number,
): z.output<typeof ItemDomainResponse> {
  return { ...presentDomain(first), item_id: itemId, domains: all.map(presentDomain) };
}
