import type { NewWorkOrder, WorkOrderPriority } from './queries';

export interface OpeningForm {
  title: string;
  body: string;
  priority: WorkOrderPriority;
  dueTime: string | null;
  /** The linked records, one path per line. */
  links: string;
}

export const maxTitleLength = 200;
export const maxTextLength = 5000;
export const maxLinks = 20;
const maxLinkLength = 255;
const shape = /^[a-z][a-z-]*\/[!-~]+$/;

/** Whether a path is a valid link to a record. */
export const isLink = (path: string): boolean => shape.test(path) && path.length <= maxLinkLength;

export const blankOpening = (link?: string): OpeningForm => ({ title: '', body: '', priority: 'normal', dueTime: null, links: link ?? '' });

/** The links without duplicates. */
export const linksOf = ({ links }: Pick<OpeningForm, 'links'>): string[] => [
  ...new Set(
    links
      .split(/\s+/)
      .map((one) => one.trim())
      .filter(Boolean),
  ),
];

export const isComplete = (form: OpeningForm): boolean => form.title.trim() !== '' && linksOf(form).every(isLink) && linksOf(form).length <= maxLinks;

export function requestOf(form: OpeningForm): NewWorkOrder {
  const { title, body, priority, dueTime } = form;
  return { title: title.trim(), body: body.trim(), priority, dueTime, links: linksOf(form) };
}
