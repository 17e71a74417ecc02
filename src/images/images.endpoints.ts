import { anyone, merchant } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import * as images from './images';
import { BrandImageQuery, ImageBytes, ImagePath, UploadedImage } from './images.schemas';

/** In bytes. */
export const { uploadBytesMax } = images;

const upload = {
  method: 'post',
  rawBodyMax: images.uploadBytesMax,
  status: 201,
  response: UploadedImage,
  errors: ['body_too_large', 'image_type_refused', 'image_unreadable', 'image_too_large', 'image_limit'],
} as const;

export const imageEndpoints = {
  uploadItemCover: endpoint({
    ...upload,
    path: '/v2/images/covers',
    summary: 'Upload a cover for an item; the body is a PNG, JPEG, WebP or GIF file',
    auth: merchant('items:write'),
    handler: ({ caller, request }) => images.uploadImage(caller, 'cover', request),
  }),
  uploadBrandImage: endpoint({
    ...upload,
    path: '/v2/images/brands',
    summary: 'Upload a logo or a cover for a brand; the body is a PNG, JPEG, WebP or GIF file',
    auth: merchant('branding:write'),
    query: BrandImageQuery,
    handler: ({ caller, query, request }) => images.uploadImage(caller, query.kind, request),
  }),
  getImage: endpoint({
    method: 'get',
    path: '/images/{merchant_uuid}/{hash}',
    summary: 'An uploaded image',
    auth: anyone(),
    params: ImagePath,
    status: 200,
    response: ImageBytes,
    produces: 'image/*',
    errors: ['image_not_found'],
    handler: ({ params, request }) => images.getImage(params.merchant_uuid, params.hash, request),
  }),
};
