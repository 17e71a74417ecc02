import { type Applicant, checkPath } from '../admission';
import { type Caller } from '../auth';
import { noFields, parseQuery, readBody } from '../body';
import { AppError } from '../errors';
import { type FeaturesOff, merchantOf } from '../features';
import { networkOf } from '../hosts';
import { refuseExceeded } from '../rateLimit';
import { readUpload, type Upload } from '../upload';
import { answerFields, askedField, type ConfirmationAnswer } from './confirmation';
import { type Context } from './context';
import { Redirect, type SignedIn, type Visit } from './page';
import { isFromOwnPage, personName, type Place, readPageToken } from './session';
import { findSession, type Session, visitOf } from './visit';
import { withInstants } from './zones';

/** The form field, or the parameter of the address, that contains the token of the page. */
export const tokenField = '_token';
/** The id of a form, new each time the form is shown. `Visit.callOnce` uses it. */
const formField = '_form';

interface SentForm {
  fields: Record<string, unknown>;
  place: Place;
  formId?: string | undefined;
  answer?: ConfirmationAnswer | undefined;
  /** The `personName` of the visitor who was asked for a confirmation of the form. */
  asked?: unknown;
  upload?: Buffer | undefined;
}

/** A request for a page: its caller comes from the session in the cookie, its fields from the form. */
export class PageRequest implements Applicant<Redirect> {
  readonly facts: Context['facts'];
  readonly params: Record<string, string>;
  private sent: SentForm;
  private session: Session | undefined;
  private off: Promise<ReadonlySet<string>> | undefined;

  constructor(
    private readonly context: Context,
    private readonly first: Visit,
  ) {
    this.facts = context.facts;
    this.params = context.request.params as Record<string, string>;
    this.sent = { fields: noFields, place: placeOfVisit(first) };
  }

  /** The merchant's features, read once for the check and for `Visit.isOff`. */
  readonly featuresOff: FeaturesOff = (merchant) => (this.off ??= this.context.parts.featuresOff(merchant));

  /** Undefined without a session, and before the request is counted. */
  get caller(): Caller | undefined {
    return this.session?.caller;
  }

  /** Many visitors share an address, so only requests without a session are counted for it. */
  async limit(): Promise<void> {
    const { rateLimiter, limits } = this.context.parts;
    this.session = await findSession(this.context);
    const state = this.session
      ? rateLimiter.count(this.session.caller.sessionId, limits.normal)
      : rateLimiter.count(`address:${networkOf(this.facts.clientAddress)}`, limits.anonymous);
    refuseExceeded(state);
  }

  /**
   * The form's token is checked first, so that another site cannot use the session. A form that was kept for a confirmation
   * is not sent as another account, which may be signed in by then.
   */
  async readCaller(): Promise<Caller | undefined> {
    this.sent = await readSent(this.context, this.first);
    const { caller } = this;
    const { asked } = this.sent;
    if (caller !== undefined && asked !== undefined && asked !== personName(this.context.parts.key, caller))
      throw new AppError('page_expired');
    return caller;
  }

  requireRecentFactor(caller: Caller): Promise<void> {
    return this.context.parts.requireRecentFactor(caller);
  }

  async withoutCaller(): Promise<Redirect> {
    const { page } = this.context;
    const params = checkPath(page, this.params);
    if (!page.signInAt) throw new AppError('invalid_auth_token');
    return new Redirect(page.signInAt({ ...(await this.visit()), params } as never));
  }

  readFields(): Record<string, unknown> {
    return this.sent.fields;
  }

  readQuery(): Record<string, unknown> {
    return parseQuery(this.context.request.originalUrl);
  }

  /** The form as it was sent. A question for a confirmation keeps it. */
  get form(): Pick<SentForm, 'fields' | 'formId' | 'answer'> {
    return this.sent;
  }

  /** The visit that the page's handler receives. */
  async visit(): Promise<Visit> {
    const { place, formId, upload } = this.sent;
    const merchant = merchantOf(this.session?.caller, this.params);
    const off = merchant && (await this.featuresOff(merchant));
    const signedInAs = await this.findSignedIn();
    return { ...visitOf(this.context, this.session, place, off, formId), upload, signedInAs };
  }

  private async findSignedIn(): Promise<SignedIn | undefined> {
    const { parts, area } = this.context;
    const { caller } = this;
    if (area.kind === 'customer' || caller === undefined || this.first.isFragment) return undefined;
    return parts.withinMerchantOf(caller, () => parts.findSignedIn(caller));
  }
}

/** A request that changes data must come from one of our pages. A request that only reads may come from anywhere. */
async function readSent(context: Context, first: Visit): Promise<SentForm> {
  const { parts, page, request, visitor } = context;
  const sentHeader = request.headers['x-page-token'];
  if (page.method === 'get') {
    const told =
      typeof sentHeader === 'string' ? sentHeader : new URLSearchParams(first.request.queryText).get(tokenField);
    const place = readPageToken(parts.key, visitor.id, told ?? undefined);
    return { fields: noFields, place: place ?? placeOfVisit(first) };
  }
  const { fields: sent, file: upload } = await readForm(context);
  const { [tokenField]: sentField, [formField]: formId, [askedField]: asked, ...others } = withInstants(sent);
  const { fields, answer } = withoutAnswer(others);
  const token = typeof sentHeader === 'string' ? sentHeader : typeof sentField === 'string' ? sentField : undefined;
  const place = readPageToken(parts.key, visitor.id, token);
  if (place === undefined || !isFromOwnPage(request.headers, parts.origin)) throw new AppError('page_expired');
  return {
    fields,
    place,
    answer,
    asked,
    upload,
    formId: typeof formId === 'string' && formId !== '' ? formId : undefined,
  };
}

async function readForm({ page, request }: Context): Promise<Upload> {
  return page.uploadMax === undefined
    ? { fields: (await readBody(request)).fields }
    : readUpload(request, page.uploadMax);
}

/** Separates the answer to a question for a confirmation from the fields of the form. */
function withoutAnswer(sent: Record<string, unknown>): Pick<SentForm, 'fields' | 'answer'> {
  const given = answerFields.flatMap((name) => {
    const value = sent[name];
    return typeof value === 'string' && value !== '' ? [[name, value] as const] : [];
  });
  const isAnswered = answerFields.some((name) => name in sent);
  if (!isAnswered) return { fields: sent };
  const fields = Object.fromEntries(Object.entries(sent).filter(([name]) => !answerFields.some((own) => own === name)));
  return { fields, answer: Object.fromEntries(given) };
}

const placeOfVisit = ({ request, isEmbedded }: Visit): Place => ({ host: request.host, isEmbedded });
