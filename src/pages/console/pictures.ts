import { z } from 'zod';
import { uploadBytesMax } from '../../images/images.endpoints';
import { AppError } from '../../kit/errors';
import { html, type Html } from '../../kit/html';
import { page, type Page, type PageResponse, Redirect } from '../../kit/pages/page';
import { type Complaint } from '../layout/explain';
import { complaints, field, form, submit } from '../layout/forms';
import { type Texts, textsFor } from '../layout/texts';
import { AnyForm } from './fields';
import { inConsole, type MerchantVisit } from './frame';

/** A picture of an item or a brand: it is shown, uploaded, replaced and removed without a script. */

/** The error of a refused upload. */
export interface PictureFault {
  /** The field of the picture. */
  name: string;
  complaint: Complaint;
}

interface ShownPicture {
  /** A unique name on the page. */
  name: string;
  title: string;
  /** The URL of the present picture, or empty. */
  url: string;
}

export interface PictureOptions extends ShownPicture {
  hint: string;
  /** The address that takes the upload. The picture is removed at `<action>/delete`. */
  action: string;
  fault: PictureFault | undefined;
}

export function pictureSection(visit: MerchantVisit, texts: Texts, options: PictureOptions): Html {
  const { t } = texts;
  const { name, hint, url, action, fault } = options;
  const hasPicture = url !== '';
  const complaint = fault?.name === name ? fault.complaint : undefined;
  const content = html`${complaints(texts, complaint, [name])}
    ${field(texts, {
      name,
      type: 'file',
      label: t('console.pictures.file'),
      hint,
      isRequired: true,
      complaint,
      more: { accept: 'image/png,image/jpeg,image/webp,image/gif' },
    })}
    <div class="row">
      ${submit(t(hasPicture ? 'console.pictures.replace' : 'console.pictures.upload'), { kind: 'slim' })}
      ${hasPicture && html`<button type="submit" class="slim" formaction="${action}/delete">${t('console.pictures.remove')}</button>`}
    </div>`;
  return pictureCard(
    visit,
    texts,
    options,
    form(visit, { action, content, name: `upload-${name}`, isMultipart: true }),
  );
}

/** A picture without its form, for people who may not replace it. */
export const shownPicture = (visit: MerchantVisit, texts: Texts, shown: ShownPicture): Html =>
  pictureCard(visit, texts, shown);

function pictureCard(
  visit: MerchantVisit,
  { t }: Texts,
  { name, title, url }: ShownPicture,
  uploads: Html = html``,
): Html {
  return html`<section class="card stack" aria-labelledby="picture-${name}">
    <h2 id="picture-${name}">${title}</h2>
    ${url === '' ? html`<p class="quiet">${t('console.pictures.none')}</p>` : html`<img class="picture" src="${shownAt(visit, url)}" alt="${title}" />`}
    ${uploads}
  </section>`;
}

/** A picture of this service is loaded from the host of the page. */
function shownAt({ origin }: MerchantVisit, url: string): string {
  return url.startsWith(`${origin}/images/`) ? url.slice(origin.length) : url;
}

type PictureVisit = MerchantVisit & { params: Record<string, string>; upload?: Buffer | undefined };

interface PictureActions {
  /** Parameters of the path are in braces. */
  path: string;
  auth: Page['auth'];
  summary: { upload: string; remove: string };
  /** The field of the form. */
  name: (visit: PictureVisit) => string;
  /** Uploads the file and returns its URL. */
  upload: (visit: PictureVisit, file: Buffer) => Promise<{ url: string }>;
  /** Stores the URL. An empty one removes the picture. */
  save: (visit: PictureVisit, url: string) => Promise<unknown>;
  /** The page with the error of the upload. */
  again: (visit: PictureVisit, fault: PictureFault) => Promise<PageResponse>;
  next: (visit: PictureVisit) => string;
}

/** The pages that take an upload and that remove the picture. Both buttons send the same form. */
export function picturePages({ path, auth, summary, ...actions }: PictureActions): { upload: Page; remove: Page } {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, z.string()] as const);
  const place = {
    ...inConsole,
    auth,
    method: 'post',
    params: z.object(Object.fromEntries(names)),
    form: AnyForm,
    uploadMax: uploadBytesMax,
  } as const;
  return {
    upload: page({
      ...place,
      path,
      summary: summary.upload,
      handler: (visit) => takeUpload(visit as PictureVisit, actions),
    }),
    remove: page({
      ...place,
      path: `${path}/delete`,
      summary: summary.remove,
      handler: async (visit) => {
        await actions.save(visit, '');
        return new Redirect(actions.next(visit));
      },
    }),
  };
}

async function takeUpload(
  visit: PictureVisit,
  { name, upload, save, again, next }: Omit<PictureActions, 'path' | 'auth' | 'summary'>,
): Promise<PageResponse | Redirect> {
  if (!visit.upload) return again(visit, faultOf(visit, name(visit), 'missing'));
  try {
    const { url } = await upload(visit, visit.upload);
    await save(visit, url);
    return new Redirect(next(visit));
  } catch (error) {
    const code = refusals.find((known) => error instanceof AppError && error.code === known);
    if (code === undefined) throw error;
    return again(visit, faultOf(visit, name(visit), code));
  }
}

const refusals = [
  'body_too_large',
  'image_type_refused',
  'image_unreadable',
  'image_too_large',
  'image_limit',
] as const;

function faultOf(visit: MerchantVisit, name: string, code: (typeof refusals)[number] | 'missing'): PictureFault {
  const text = textsFor(visit).t(`console.pictures.refused.${code}`);
  return { name, complaint: { message: text, fields: { [name]: text } } };
}
