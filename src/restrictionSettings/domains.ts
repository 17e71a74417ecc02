import { type z } from 'zod';
import { getItemRow } from '../items/items';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { message } from '../kit/page';
import { type ListType } from '../restrictions/restrictions';
import { changeRules, type RuleChange, subjectOf } from '../restrictions/rules';
import {
  type DomainEntry,
  type DomainListKey,
  DomainRestriction,
  readListToChange,
  replaceList,
} from './domains.model';
import { presentDomain, presentItemDomains } from './domains.presenter';
import { type DomainsBody } from './domains.schemas';

type SentDomains = z.output<typeof DomainsBody>['domains'];

/** A limit, because every entry is compared at every playback. */
const entriesMax = 1_000;

/** The merchant's own list by id, or one domain of it. */
export async function listGlobalDomains(caller: Caller, domain: string | undefined) {
  return (await readList(caller, null, domain)).map(presentDomain);
}

/** An item's own list, which may be empty. */
export async function listItemDomains(caller: Caller, itemId: number) {
  await getItemRow(caller.merchantId, itemId);
  return (await readList(caller, itemId, undefined)).map(presentDomain);
}

export async function getItemDomains(caller: Caller, itemId: number, domain: string | undefined) {
  await getItemRow(caller.merchantId, itemId);
  const rules = await readList(caller, itemId, domain);
  const [first] = rules;
  if (!first) throw new AppError('restriction_not_found');
  return presentItemDomains(first, rules, itemId);
}

export async function saveGlobalDomains(caller: Caller, type: ListType, sent: SentDomains) {
  await changeList(caller, null, 'restriction.save_domains', (list) => merged(list, type, sent));
  return message('The domain restrictions have been successfully saved');
}

export async function saveItemDomains(caller: Caller, input: { itemId: number; type: ListType; domains: SentDomains }) {
  const { itemId, type, domains } = input;
  await getItemRow(caller.merchantId, itemId);
  await changeList(caller, itemId, 'restriction.save_domains', (list) => merged(list, type, domains));
  return message('The domain restrictions of the item have been successfully saved');
}

/** Replaces the item's list of this type. The list of the other type stays. */
export async function replaceItemDomains(
  caller: Caller,
  input: { itemId: number; type: ListType; domains: SentDomains },
) {
  const { itemId, type, domains } = input;
  await getItemRow(caller.merchantId, itemId);
  await changeList(caller, itemId, 'restriction.replace_domains', (list) => {
    const isSent = (entry: DomainEntry) => domains.some(({ domain }) => domain === entry.domain);
    return merged(list, type, domains).filter((entry) => entry.type !== type || isSent(entry));
  });
  return message('The domain restrictions of the item have been successfully saved');
}

/** Deletes one domain or all domains of the merchant's own list. The lists of items stay. */
export async function deleteGlobalDomains(caller: Caller, domain: string | undefined) {
  await changeList(caller, null, 'restriction.delete_domains', (list) => without(list, domain));
  return message('The domain restrictions have been successfully deleted');
}

export async function deleteItemDomains(caller: Caller, itemId: number, domain: string | undefined) {
  await getItemRow(caller.merchantId, itemId);
  await changeList(caller, itemId, 'restriction.delete_domains', (list) => without(list, domain));
  return message('The domain restrictions of the item have been successfully deleted');
}

function readList({ merchantId }: Caller, itemId: number | null, domain: string | undefined) {
  return DomainRestriction.findAll({
    where: { merchantId, itemId, ...(domain !== undefined && { domain }) },
    order: ['id'],
  });
}

async function changeList(
  caller: Caller,
  itemId: number | null,
  action: RuleChange['action'],
  change: (list: DomainEntry[]) => DomainEntry[],
): Promise<void> {
  const key: DomainListKey = { merchantId: caller.merchantId, itemId };
  await changeRules(caller, { action, object: subjectOf(caller, itemId) }, async (inTransaction) => {
    const list = await readListToChange(inTransaction, key);
    const changed = change(list.map(({ id, type, domain }) => ({ id, type, domain })));
    if (changed.length > entriesMax) throw invalid('domains', `must leave at most ${entriesMax} in the list`);
    await replaceList(inTransaction, key, changed);
  });
}

/**
 * Merges the sent entries into a list. An entry with an id gets the sent domain. An entry without one changes the
 * existing entry with this domain, or is new. Each sent entry gets the given type.
 */
function merged(list: readonly DomainEntry[], type: ListType, sent: SentDomains): DomainEntry[] {
  const entries = list.map((entry) => ({ ...entry }));
  for (const { id, domain } of sent) {
    if (id === 0 && entries.some((entry) => entry.domain === domain)) continue;
    if (id === 0) entries.push({ id: undefined, type, domain });
    else Object.assign(findEntry(entries, id), { domain });
  }
  sent.forEach(({ domain }, index) => {
    const named = entries.filter((entry) => entry.domain === domain);
    if (named.length > 1) throw invalid(`domains.${index}.domain`, 'is in the list already');
    for (const entry of named) entry.type = type;
  });
  return entries;
}

function findEntry(entries: DomainEntry[], id: number): DomainEntry {
  const entry = entries.find((known) => known.id === id);
  if (!entry) throw new AppError('restriction_not_found');
  return entry;
}

function without(list: readonly DomainEntry[], domain: string | undefined): DomainEntry[] {
  if (domain === undefined) return [];
  const rest = list.filter((entry) => entry.domain !== domain);
  if (rest.length === list.length) throw new AppError('restriction_not_found');
  return rest;
}

function invalid(field: string, complaint: string): AppError {
  return new AppError('invalid_input', { errors: { [field]: `The ${field} ${complaint}.` } });
}
