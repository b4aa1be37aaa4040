{#
  Fails for each segment whose accuracy ratio is below `minimum`, or has none: because a class is
  missing, because rows lack a score or a label, or have a label that is neither of the two.

  The ratio is compared in whole numbers: (pairs won - pairs lost) / pairs of a positive and a
  negative, with a minimum of up to six decimals.
#}
{% test accuracy_ratio_at_least(
  model, column_name, target, minimum,
  by=none, pos_label=1, neg_label=0, higher_is="positive"
) %}
{%- set order = {"positive": "desc", "negative": "asc"}[higher_is] %}
{%- set segment = "capcurve_segment, " if by is not none else "" %}
{%- set partition = "partition by capcurve_segment" if by is not none else "" %}
{%- set pairs = "cast(positives as decimal(19, 0)) * cast(negatives as decimal(19, 0))" %}
with capcurve_rows as (
  {{ capcurve_rows(model, target, column_name, by, pos_label, neg_label, none) }}
),

capcurve_ranked as (
  select
    {{ segment }}
    case
      when lower(cast(floor(capcurve_score) as {{ dbt.type_string() }})) = 'nan' then null
      else capcurve_score
    end as capcurve_score,
    capcurve_positive,
    capcurve_negative
  from capcurve_rows
),

capcurve_cells as (
  select
    {{ segment }}
    capcurve_score,
    sum(case when capcurve_score is null then 0 else capcurve_positive end) as positives,
    sum(case when capcurve_score is null then 0 else capcurve_negative end) as negatives,
    sum(
      case
        when capcurve_score is null then 1
        else 1 - capcurve_positive - capcurve_negative
      end
    ) as not_counted
  from capcurve_ranked
  group by {{ segment }} capcurve_score
),

capcurve_running as (
  select
    {{ segment }}
    positives,
    negatives,
    not_counted,
    sum(negatives) over ({{ partition }}) as all_negatives,
    sum(negatives) over (
      {{ partition }} order by capcurve_score {{ order }}
      rows between unbounded preceding and current row
    ) as selected_negatives
  from capcurve_cells
),

capcurve_totals as (
  select
    {{ segment }}
    sum(positives) as positives,
    sum(negatives) as negatives,
    sum(not_counted) as not_counted,
    sum(
      cast(positives as decimal(19, 0))
      * cast(all_negatives - 2 * selected_negatives + negatives as decimal(19, 0))
    ) as won_minus_lost
  from capcurve_running
  {% if by is not none -%} group by capcurve_segment {%- endif %}
)

select
  {{ segment }}
  positives,
  negatives,
  not_counted,
  won_minus_lost,
  {{ pairs }} as pairs
from capcurve_totals
where
  case
    when not_counted > 0 or positives = 0 or negatives = 0 then 0
    when won_minus_lost * 1000000 >= {{ (minimum * 1000000) | round | int }} * {{ pairs }} then 1
    else 0
  end = 0
{% endtest %}
