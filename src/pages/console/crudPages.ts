import { z } from 'zod';
import { type Auth } from '../../kit/auth';
import { type Page, type PageResponse } from '../../kit/pages/page';
import { AnyForm, type FormState } from './fields';
import { carryOut, inConsole, listQuery, type MerchantVisit, type Next, orderQuery } from './frame';

interface Crud<Address extends string, Key extends string> {
  address: Address;
  /** The parameter that selects one object. */
  key?: Key;
  auth: ConsoleAuth;
  /** The right to use the forms, if it differs from the right to read. */
  writing?: ConsoleAuth;
  feature?: string;
  list: Show<NamesIn<Address>>;
  /** The page with the form for a new object, if that form is not below the list. */
  blank?: Show<NamesIn<Address>>;
  /** The page of one object, unless the list shows all its data. */
  one?: Show<NamesIn<Address> | Key>;
  /** The URL of the page with the list, if it differs from the address. */
  home?: string;
}

/** The pages of one kind of object. Each function takes the summary of the page and, for a form, its request. */
export function crudPages<const Address extends string, const Key extends string = 'id'>(crud: Crud<Address, Key>) {
  type InList = NamesIn<Address>;
  type InOne = InList | Key;
  const { address, key = 'id', auth, writing = auth, list, blank, one = list, home = address, ...featured } = crud;
  const reading = { ...featured, auth };
  const changing = { ...featured, auth: writing };
  const own = `${address}/{${key}}`;
  const changed =
    <Names extends string>(path: string, deed: string, again?: Show<Names>) =>
    <Done>(summary: string, work: Work<Names, Done>, outcome: Partial<Outcome<Names, Done>> = {}) =>
      formWith({ ...changing, path, summary, again, next: `${home}?done=${deed}`, work, ...outcome });
  return {
    list: (summary: string) => showWith({ ...reading, path: address, summary, show: list }),
    new: (summary: string) => showWith({ ...changing, path: `${address}/new`, summary, show: blank ?? list }),
    show: (summary: string) => showWith({ ...reading, path: own, summary, show: one }),
    create: changed<InList>(blank ? `${address}/new` : address, 'created', blank ?? list),
    update: changed<InOne>(own, 'saved', one),
    delete: changed<InOne>(`${own}/delete`, 'deleted'),
    /** Another change of the object, such as `deactivate`. */
    act: (name: string) => changed<InOne>(`${own}/${name}`, 'changed'),
  };
}

type ConsoleAuth = Exclude<Auth, { kind: 'anyone' | 'forgiving' }>;

/** `id` and `fee_id` of `/console/items/{id}/fees/{fee_id}`. */
type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

/** A visit with these parameters in its path. */
export type VisitWith<Names extends string> = MerchantVisit & { params: Record<Names, string> };
type FormWith<Names extends string> = VisitWith<Names> & { form: Record<string, string> };

const text = z.string().optional();
const StateQuery = z.object({ ...listQuery, ...orderQuery, active: text, batch: text, find: text });

/** The query of a page, and the refused form if there is one. */
export type PageState = FormState & z.output<typeof StateQuery>;

type Show<Names extends string> = (visit: VisitWith<Names>, state: PageState) => Promise<PageResponse> | PageResponse;

interface Place {
  path: string;
  summary: string;
  auth: ConsoleAuth;
  feature?: string;
}

interface Shown<Names extends string> extends Place {
  show: Show<Names>;
}

/** A page that is only read. */
export const showPage = <const Path extends string>(shown: Shown<NamesIn<Path>> & { path: Path }): Page =>
  showWith(shown);

function showWith<Names extends string>({ show, ...place }: Shown<Names>): Page {
  return {
    ...inConsole,
    ...place,
    method: 'get',
    params: paramsOf(place.path),
    query: StateQuery,
    handler: async (visit: VisitWith<Names> & { query: PageState }) => show(visit, visit.query),
  };
}

type Work<Names extends string, Done> = (visit: FormWith<Names>) => Promise<Done>;

interface Outcome<Names extends string, Done> {
  /** The page of the form, shown again with its errors. Without it, an error has its own page. */
  again?: Show<Names> | undefined;
  /** The URL of the next page. It may contain parameters of the path in braces. */
  next: string | ((done: Done, visit: FormWith<Names>) => Next);
}

interface Form<Names extends string, Done> extends Place, Outcome<Names, Done> {
  /** The bytes of the form's file. */
  uploadMax?: number;
  work: Work<Names, Done>;
}

/** A page that runs the request of a form. */
export const formPage = <const Path extends string, Done>(form: Form<NamesIn<Path>, Done> & { path: Path }): Page =>
  formWith(form);

function formWith<Names extends string, Done>({ work, again, next, ...place }: Form<Names, Done>): Page {
  return {
    ...inConsole,
    ...place,
    method: 'post',
    params: paramsOf(place.path),
    form: AnyForm,
    handler: (visit: FormWith<Names>) =>
      carryOut(visit, {
        work: () => work(visit),
        again: again && ((complaint) => again(visit, { complaint, values: visit.form })),
        next: typeof next === 'string' ? fill(next, visit.params) : (done) => next(done, visit),
      }),
  };
}

const braced = /\{(\w+)\}/g;

const paramsOf = (path: string) =>
  z.object(Object.fromEntries([...path.matchAll(braced)].map(([, name = '']) => [name, z.string()])));

const fill = (address: string, params: Readonly<Record<string, string>>) =>
  address.replaceAll(braced, (_whole, name: string) => params[name] ?? '');
