import { type z } from 'zod';
import { type OwnedPlanPage, type PlanPage, type PricePage } from '../../src/items/sites.schemas';
import { call } from './client';
import { type Person } from './factories';
import { type TestApp } from './startApp';

const site = <Body>(app: TestApp, siteId: string, path: string, person?: Pick<Person, 'token'>) =>
  call<Body>(app, 'GET', `/v3/sites/${siteId}/${path}`, undefined, person);

export const listPlans = (app: TestApp, siteId: string, query = '') =>
  site<z.output<typeof PlanPage>>(app, siteId, `plans${query}`);

export const listPrices = (app: TestApp, siteId: string, planId: number, query = '') =>
  site<z.output<typeof PricePage>>(app, siteId, `plans/${planId}/prices${query}`);

export const listEntitlements = (app: TestApp, siteId: string, person?: Pick<Person, 'token'>, query = '') =>
  site<z.output<typeof OwnedPlanPage>>(app, siteId, `entitlements${query}`, person);
