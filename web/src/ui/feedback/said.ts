import { useCallback } from 'react';
import type { ProblemCode } from '@/api';
import { useLanguage, type Language } from '@/i18n';

/** What the service says of a request: a code, and a sentence in English. */
export interface Said {
  code?: string;
  text: string;
}

/**
 * One sentence of the service in another language. Without a pattern it holds whatever
 * the service says under the code; with one, $1 and on are what the pattern found, so
 * that no name and no limit is lost.
 */
type Sentence = readonly [text: string, pattern?: RegExp];
type Sentences = Readonly<Partial<Record<string, readonly Sentence[]>>>;

/**
 * The sentences of refusals in the languages that the service does not speak, by their
 * code; the first that fits is shown. What fits none is shown as the service says it.
 */
const problems: Readonly<Partial<Record<Language, Readonly<Partial<Record<ProblemCode, readonly Sentence[]>>>>>> = {
  zh: {
    precondition_malformed: [['所依据的版本无法使用；没有任何更改。请重新读取后再试。']],
    precondition_required: [['缺少所依据的版本；没有任何更改。请重新读取后再试。']],
    idempotency_key_reused: [['这个幂等键已用于另一个请求；没有任何更改。']],
    request_in_progress: [['同一请求的第一次尝试仍在进行，请稍后再试以取得其结果。']],
    quota_exceeded: [['配额已用完；没有任何更改。']],
    unauthenticated: [['会话已结束，请重新登录。']],
    invalid_credentials: [['用户名或密码错误。']],
    forbidden: [['此操作需要权限 $1，而你没有。', /^This needs the permission (\S+), /], ['你没有执行此操作的权限。']],
    csrf_failed: [['会话校验失败；没有任何更改。请重新加载页面。']],
    not_found: [
      ['这个地址没有内容。', /^There is nothing at this address/],
      ['找不到 $1。', /^There is no .*?(".*")\.$/],
      ['$1 已被删除。', /(".*") was deleted meanwhile\.$/],
    ],
    already_exists: [
      ['$1 已存在。', /^There is an? .*?(".*") already\.$/],
      ['$1 已存在，最后由 $2 修改。', /(".*") exists already; (.+) changed it last\.$/],
    ],
    transition_not_allowed: [
      ['$1 已于 $2 过期。', /(".*") cannot \S+: it expired at (.+)\.$/],
      ['$1 在 $2 之前不能使用。', /(".*") cannot be redeemed before (.+)\.$/],
      ['当前状态不允许此操作：$2 已更改了 $1。', /(".*") cannot .* since (.+) changed it\.$/],
    ],
    status_changed: [['$2 抢先更改了 $1。', /(".*") cannot .* since (.+) changed it\.$/], ['状态已被更改；没有执行你的操作。']],
    batch_conflict: [['$2 项中有 $1 项与他人的更改冲突；没有任何更改。', /^(\d+) of (\d+) changes conflict/], ['与他人的更改冲突；没有任何更改。']],
    insufficient_stock: [
      ['$2 有货 $1 件，需要 $3 件；没有任何更改。', /^(\d+) pieces of (".*") are available and (\d+) are wanted/],
      ['库存不足；没有任何更改。'],
    ],
    insufficient_balance: [['余额不足；没有任何更改。']],
    in_use: [
      ['$1 已发出 $2 张优惠券，不能删除。可改为设置结束时间来终止它。', /(".*") has issued (\d+) coupons/],
      ['商品 $1 已有订单或库存，不能删除。可改为将其归档。', /^An order names item (".*"), or/],
    ],
    version_conflict: [
      ['自你读取之后 $2 更改了 $1；你的更改均未生效。', /(".*") was changed by (.+) since you read it/],
      ['这已不是你读取的那一个：它被删除后又重新创建。你的更改均未生效。', /is not the one you read/],
    ],
    payload_too_large: [['内容过大；没有任何更改。']],
    validation_failed: [['请求不符合规则；没有任何更改。', /^The request breaks a rule/]],
    resource_locked: [['另一项操作正占用它，没有及时释放；没有任何更改。请重试。']],
    rate_limited: [['请求过于频繁；没有任何更改。']],
    too_many_attempts: [['密码错误次数过多，请稍后再试。']],
    unavailable: [['数据库无法连接；没有任何更改。请重试。', /^The database cannot be reached/], ['服务暂时不可用；没有任何更改。请重试。']],
    internal: [['请求没有完成。报告问题时请提供请求编号。']],
  },
};

/** The same for the rules that a single place breaks, which follow the name of the place. */
const rules: Readonly<Partial<Record<Language, Sentences>>> = {
  zh: {
    required: [['必填', /^is required$/]],
    max: [
      ['最多 $1 个字符', /^must have at most (\d+) characters$/],
      ['最多 $1 项', /^must have at most (\d+) members$/],
      ['最多 $1 KiB', /^must have at most (\d+) KiB/],
      ['最多 $1 字节', /^must have at most (\d+) bytes$/],
      ['最多 $1%', /^must be at most (\d+) percent$/],
      ['不能大于 $1', /^must be at most (-?[\d.]+)$/],
    ],
    lte: [['不能大于 $1', /^must be at most (-?[\d.]+)$/]],
    min: [
      ['至少 $1 个字符', /^must have at least (\d+) characters$/],
      ['至少 $1 项', /^must have at least (\d+) members$/],
      ['不能少于已发出的 $1 张', /^must be at least the (\d+) coupons already issued$/],
      ['不能小于 $1', /^must be at least (-?[\d.]+)(?: minor units)?$/],
    ],
    gte: [['不能小于 $1', /^must be at least (-?[\d.]+)$/]],
    gt: [['必须大于 $1', /^must be greater than (-?[\d.]+)$/]],
    gtfield: [['结束时间必须晚于开始时间', /^must be after validFrom$/]],
    oneof: [['只能是 $1 之一', /^must be one of (.+)$/]],
    pattern: [
      ['只能由 $1 到 $2 个字母、数字、点、下划线和连字符组成', /^must be (\d+) to (\d+) letters, digits, dots, underscores and hyphens$/],
      ['首尾不能有空格，也不能含有控制字符', /^must have no spaces at its ends and no control characters$/],
    ],
    json: [
      ['必须是一个 JSON 值', /^must be one JSON value$/],
      ['必须是 JSON 文本', /^must hold JSON text/],
    ],
    type: [
      ['类型要求是字符串', /^must be a string, as valueType says$/],
      ['类型要求是数字', /^must be a number, or exactly one number/],
      ['类型要求是 true 或 false', /^must be true or false, as valueType says$/],
      ['不符合 schema：应为 $2，实为 $1', /^breaks its schema: got (.+), want (.+)$/],
    ],
    minimum: [['不符合 schema：$1 小于最小值 $2', /minimum: got (.+), want (.+)$/]],
    maximum: [['不符合 schema：$1 大于最大值 $2', /maximum: got (.+), want (.+)$/]],
    depth: [['嵌套超过 $1 层', /^is nested more than (\d+) levels deep$/]],
    range: [
      ['数字过大或过小，无法保存', /^is a number too large or too small/],
      ['年份必须在 $1 到 $2 之间', /^must be (?:a time )?in the years (\d+) to (\d+)$/],
    ],
    unique: [
      ['不能重复指定', /^must not name the same one twice$/],
      ['与请求中的另一个事件重复', /^is that of event \d+ of this request too$/],
    ],
    ascending: [['必须大于前一个事件的序号']],
    limit: [['聚合的计数器不能超过 $1 个', /^would give the aggregate more than (\d+) counters$/]],
    not_for_sale: [['不是在售商品']],
    overflow: [['数额超出可计范围']],
    nonzero: [['不能为 0']],
    bound: [['不是这张优惠券的所属用户']],
    unknown: [['没有这张优惠券', /^names no coupon$/]],
    used: [['已被使用', /^cannot be used any more/]],
    void: [['已作废', /^cannot be used any more/]],
    expired: [['已过期', /^cannot be used any more/]],
    not_yet_valid: [['在 $1 之前不能使用', /^cannot be used before (.+)$/]],
    limit_reached: [['此活动每位用户最多 $1 张，该用户已达上限', /one user may have (\d+), and this user has them$/]],
    over: [['活动已结束，不能再发券']],
    future: [['必须是将来的时间']],
    reserved: [['不能以 @ 开头，这类编号由系统自用', /^must not begin with @/]],
  },
};

/** Gives a refusal of the service in the language in force. */
export function useRefusalText(): (said: Said) => string {
  const { language } = useLanguage();
  return useCallback((said: Said) => inWords(problems[language], said), [language]);
}

/** Gives what is wrong with one place of a request in the language in force. */
export function useRuleText(): (field: { code?: string; message: string }) => string {
  const { language } = useLanguage();
  return useCallback(({ code, message }: { code?: string; message: string }) => inWords(rules[language], { code, text: message }), [language]);
}

function inWords(sentences: Sentences = {}, { code = '', text }: Said): string {
  for (const [words, pattern = /^.*$/s] of sentences[code] ?? []) {
    const found = pattern.exec(text);
    if (found !== null) return words.replace(/\$(\d)/g, (_, place: string) => found[Number(place)] ?? '');
  }
  return text;
}
