import type SanitizeHtml from 'sanitize-html';
import { type IOptions } from 'sanitize-html';
import { lazily } from '../kit/lazily';

const sanitizer = lazily<typeof SanitizeHtml>(require, 'sanitize-html');

/** Where a link may lead; a relative address would mean a place of ours. A picture is loaded unasked: encrypted only. */
const linkAddress = /^(?:https?|mailto|tel):/i;
const pictureAddress = /^https:/i;

/** What a line at the foot of a page or a mail is made of. No style, class or id: the page's own design stays its own. */
const allowed: IOptions = {
  allowedTags: [
    ...['p', 'div', 'span', 'br', 'hr', 'h2', 'h3', 'h4', 'blockquote', 'ul', 'ol', 'li'],
    ...['a', 'abbr', 'b', 'em', 'i', 's', 'small', 'strong', 'sub', 'sup', 'u', 'img'],
  ],
  allowedAttributes: { a: ['href', 'title', 'rel', 'target'], abbr: ['title'], img: ['src', 'alt', 'width', 'height'] },
  allowedSchemes: ['https', 'http', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['https'] },
  allowProtocolRelative: false,
  nestingLimit: 20,
  transformTags: {
    // A page that a link opens may not reach back into ours.
    a: (tagName, { href, title }) => ({
      tagName,
      attribs: {
        ...(linkAddress.test(href ?? '') && { href, target: '_blank', rel: 'noopener noreferrer' }),
        ...(title !== undefined && { title }),
      },
    }),
  },
  exclusiveFilter: ({ tag, attribs }) => tag === 'img' && !pictureAddress.test(attribs['src'] ?? ''),
};

/**
 * A merchant's HTML with nothing in it but text, simple marks, links and pictures: scripts, event handlers, styles, forms,
 * frames and `javascript:` addresses are left out, as is their content where that is no text. Sanitising again changes
 * nothing.
 */
export function sanitizeHtml(html: string): string {
  // What stood in a drawing was read by other rules: without the drawing it is read once more.
  const sanitize = sanitizer();
  return sanitize(sanitize(html, allowed), allowed).trim();
}

const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&', '&nbsp;': ' ' };

/** Sanitised HTML as plain text: a block a line, the address of a link behind it. */
export function textOfHtml(html: string): string {
  const told = html.replaceAll(/<a\b[^>]*href="(?:mailto:|tel:)?([^"]*)"[^>]*>(.*?)<\/a>/gis, '$2 ($1)');
  const lines = told.replaceAll(/<(?:br|hr|li)\b[^>]*>|<\/(?:p|div|h[2-4]|blockquote|li|ul|ol)>/gi, '\n');
  const text = sanitizer()(lines, { allowedTags: [] });
  return text
    .replaceAll(/&(?:lt|gt|quot|amp|nbsp);/g, (entity) => entities[entity] ?? entity)
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .join('\n');
}
