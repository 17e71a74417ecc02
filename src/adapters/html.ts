import type SanitizeHtml from 'sanitize-html';
import { type IOptions } from 'sanitize-html';
import { lazily } from '../kit/lazily';

const sanitizer = lazily<typeof SanitizeHtml>(require, 'sanitize-html');

/** Links must be absolute, because a relative one would lead to our pages. Pictures must be encrypted. */
const linkAddress = /^(?:https?|mailto|tel):/i;
const pictureAddress = /^https:/i;

/** The elements of a footer in a page or a mail. No style, class or id, which could change the design of the page. */
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
    // A linked page must have no access to ours.
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
 * Reduces a merchant's HTML to text, simple formatting, links and pictures. Scripts, event handlers, styles, forms, frames
 * and `javascript:` addresses are removed. A second pass over the result changes nothing.
 */
export function sanitizeHtml(html: string): string {
  // The parser reads the content of an SVG by other rules, so the text without the SVG is sanitised once more.
  const sanitize = sanitizer();
  return sanitize(sanitize(html, allowed), allowed).trim();
}

const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&', '&nbsp;': ' ' };

/** Sanitised HTML as plain text: one line per block, and the address after each link. */
export function textOfHtml(html: string): string {
  const withAddresses = html.replaceAll(/<a\b[^>]*href="(?:mailto:|tel:)?([^"]*)"[^>]*>(.*?)<\/a>/gis, '$2 ($1)');
  const lines = withAddresses.replaceAll(/<(?:br|hr|li)\b[^>]*>|<\/(?:p|div|h[2-4]|blockquote|li|ul|ol)>/gi, '\n');
  const text = sanitizer()(lines, { allowedTags: [] });
  return text
    .replaceAll(/&(?:lt|gt|quot|amp|nbsp);/g, (entity) => entities[entity] ?? entity)
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .join('\n');
}
