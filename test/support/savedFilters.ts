import { type z } from 'zod';
import { type SavedFilterList, type SavedFilterResponse } from '../../src/savedFilters/savedFilters.schemas';
import { call, type Reply } from './client';
import { type Person } from './factories';
import { type TestApp } from './startApp';

type Saved = z.output<typeof SavedFilterResponse> & { error: string; errors: Record<string, string> };

const path = '/v2/saved-filters';
export const overdue = { list: 'subscriptions', name: 'Overdue', query: { status: 'past_due' } };

export const saveFilter = (app: TestApp, by: Person, fields: object = {}): Promise<Reply<Saved>> =>
  call<Saved>(app, 'POST', path, { ...overdue, ...fields }, by);

export const listFilters = async (app: TestApp, by: Person, list?: string) =>
  (await call<z.output<typeof SavedFilterList>>(app, 'GET', list ? `${path}?list=${list}` : path, undefined, by)).body;

export const deleteFilter = (app: TestApp, by: Person, id: number) =>
  call<{ error: string }>(app, 'DELETE', `${path}/${id}`, undefined, by);
