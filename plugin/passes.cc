/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of the plugin in GCC's order of passes: one class for each kind of pass, which asks and does what a step
 * says.  GCC clones what stands at several instances of a pass. */
#include "plugin/passes.h"

namespace pathfdo
{

namespace
{

const char *plugin;
bool (*is_wanted)();

pass_data data_of(const pass_step &step)
{
	return { step.kind, step.name, OPTGROUP_NONE, step.timed_as, 0, 0, 0, 0, 0 };
}

/* A pass between the decisions on the whole unit and what is done with them; it has no summaries to write. */
class bare_ipa_pass : public ipa_opt_pass_d
{
      public:
	bare_ipa_pass(const pass_data &data, gcc::context *context)
	    : ipa_opt_pass_d(data, context, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL)
	{
	}
};

template <class base> class step_pass : public base
{
      public:
	explicit step_pass(const pass_step &what) : base(data_of(what), g), step(what)
	{
	}

	opt_pass *clone() final override
	{
		return new step_pass(step);
	}

	bool gate(function *f) final override
	{
		return is_wanted() && (!step.gate || step.gate(f));
	}

	unsigned execute(function *f) final override
	{
		return step.execute(f);
	}

      private:
	const pass_step step;
};

opt_pass *pass_of(const pass_step &step)
{
	switch (step.kind) {
	case GIMPLE_PASS:
		return new step_pass<gimple_opt_pass>(step);
	case RTL_PASS:
		return new step_pass<rtl_opt_pass>(step);
	case SIMPLE_IPA_PASS:
		return new step_pass<simple_ipa_opt_pass>(step);
	case IPA_PASS:
		return new step_pass<bare_ipa_pass>(step);
	}
	gcc_unreachable();
}

} // namespace

void passes_begin(const char *plugin_name, bool (*wanted)())
{
	plugin = plugin_name;
	is_wanted = wanted;
}

void passes_add(const pass_step &step)
{
	register_pass_info pass = { pass_of(step), step.at, step.instance, step.position };

	register_callback(plugin, PLUGIN_PASS_MANAGER_SETUP, NULL, &pass);
}

} // namespace pathfdo
